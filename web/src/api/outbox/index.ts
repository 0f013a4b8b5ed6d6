import type { QueryClient } from '@tanstack/react-query'
import { useSession } from '../session'
import { signal } from '../signal'
import { seldom } from '@/lib/seldom'
import { useStore } from '@/lib/store'
import { along } from '../along'
import { writeNewer } from '../taken/store'
import { refreshCountsSoon, keep, rowOf } from './cache'
import { box, mine, prune, read, type Box } from './box'
import { reportHeld } from './report'
import { kick, nudge, wake, whenSaved } from './sender'

export { keep, refreshCountsSoon } from './cache'
export { box, put, read, remove } from './box'
export { overlaid, overlaidList, uncounted, type Entry, type Refusal } from './entry'
export { save, type Result, type Work } from './save'
export { kick, sending } from './sender'
export { deviceId } from './device'

/** A network that comes and goes is not asked for everything each time it comes. */
const CAUGHT_UP_MS = 5000

let started = false

/** Sends what waits now, and whenever the network, the page or its owner comes back. */
export function start(queries: QueryClient): void {
  whenSaved((vehicle, { yard }) => {
    keep(queries, vehicle, yard)
    refreshCountsSoon(queries)
    if (along.get().some(({ campaign }) => campaign === vehicle.campaign_id)) void writeNewer(vehicle.campaign_id, [{ id: vehicle.id, ...rowOf(vehicle) }], {})
  })
  void wake()
  if (started) return
  started = true
  void prune(Date.now()).then(read)
  window.addEventListener('online', () => void kick())
  box.subscribe(reportHeld)
  const catchUp = seldom(CAUGHT_UP_MS, () => void queries.invalidateQueries())
  let before = signal.get()
  signal.subscribe(() => {
    if (signal.get()) reportHeld()
    const now = signal.get()
    if (now && !before) {
      catchUp() // what came from the disk is asked for again
      nudge()
    }
    before = now
  })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void wake())
}

export function useOutbox(): Box {
  useSession() // another person may have signed in since it was read
  return mine(useStore(box))
}
/** Own saves that the server does not have yet, by vehicle. */
export const usePending = () => useOutbox().pending
export const pendingNow = () => mine(box.get()).pending
