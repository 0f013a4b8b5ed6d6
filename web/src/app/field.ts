import { currentSession } from '@/api/session'
import { queries } from './queries'
import { WORK } from './screens'

/** Brings what keeps work on this device, and lets it send what waits; its code comes after the sign-in. */
export function wakeField(): void {
  const session = currentSession()
  if (session === null) return
  Promise.all([import('@/api/outbox'), import('@/api/taken'), import('@/api/live'), import('./outcomes')])
    .then(([outbox, taken, live, { tell, tellMissed, watchDisk }]) => {
      outbox.start(queries)
      taken.keepFresh(queries)
      live.follow(queries, (conflict) => tell([conflict]))
      watchDisk()
      void tellMissed()
      idly(loadWork)
    })
    .catch(() => console.warn('the saves that wait here could not be looked at'))
}

/** Where the work is done: loaded while nothing else is to be done, so that a tap need not wait for code. */
const loadWork = () => {
  for (const { load } of WORK) load().catch(() => undefined)
}

const idly = (act: () => void) => ('requestIdleCallback' in window ? requestIdleCallback(act, { timeout: 4000 }) : setTimeout(act, 1000))
