import { LiveFeed } from '@/offline/live/liveFeed'
import { Outbox } from '@/offline/outbox'
import { startSnapshotRefresh } from '@/offline/snapshots'
import { queryClient } from './queryClient'
import { notifyVehicleMismatch, showUnseenConflictOutcomes, showConflictOutcomes, showLocalDatabaseProblems } from './saveNotifications'

export { OutboxContext } from '@/offline/outbox'

/** The outbox of this tab, which stores saves on this device until the server has received the saves. */
export const outbox = new Outbox(queryClient, notifyVehicleMismatch)

const feed = new LiveFeed(queryClient, (conflict) => showConflictOutcomes([conflict]))

/**
 * Starts the background work of a session: sending pending saves, refreshing stored vehicle lists (snapshots), and receiving other users'
 * changes (live feed).
 */
export function startOutboxAndLiveFeed(): void {
  outbox.start()
  startSnapshotRefresh(queryClient)
  feed.start()
  showLocalDatabaseProblems()
  void showUnseenConflictOutcomes()
}
