import { reportEndedSessions } from '@/api/endedSessions'
import { getCurrentSession, mustChangePassword } from '@/api/session'
import { runWhenIdle } from '@/lib/runWhenIdle'
import { INSPECTION_PAGES } from './routes'

/**
 * Loads the code for offline work after a sign-in. Then starts the outbox (store of unsent saves), the refresh of snapshots (stored
 * vehicle lists) and the live feed of other people's changes.
 */
export function loadOutboxAndLiveFeed(): void {
  const session = getCurrentSession()
  if (session === null) return
  void reportEndedSessions()
  if (mustChangePassword.get()) return // the server rejects every other call until the person has chosen a new password
  import('./outboxAndLiveFeed')
    .then(({ startOutboxAndLiveFeed }) => {
      startOutboxAndLiveFeed()
      void preloadFieldPages()
    })
    .catch(() => console.warn('failed to load the code for offline work, pending saves are sent after a reload'))
}

/**
 * Loads the code of the pages that inspectors use daily, so that these pages open without delay. The pages are loaded one after another in
 * idle moments, because starting many downloads at once blocks a slow phone.
 */
async function preloadFieldPages(): Promise<void> {
  for (const { load } of INSPECTION_PAGES) {
    await new Promise((resolve) => runWhenIdle(() => resolve(null)))
    await load().catch(() => undefined)
  }
}
