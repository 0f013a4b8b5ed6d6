import type { QueryClient } from '@tanstack/react-query'
import { signal } from '../signal'
import { useStore } from '@/lib/store'
import { along } from '../along'
import { writeNewer } from '../taken/store'
import { refreshCountsSoon, keep, rowOf } from './cache'
import { box, prune, read } from './box'
import { reportHeld } from './report'
import { kick, wake, whenSaved } from './sender'

export { keep, refreshCountsSoon } from './cache'
export { box, put, read, remove } from './box'
export { overlaid, overlaidList, uncounted, type Entry, type Refusal } from './entry'
export { save, type Result, type Work } from './save'
export { kick, sending } from './sender'
export { deviceId } from './device'

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
  let before = signal.get()
  signal.subscribe(() => {
    if (signal.get()) reportHeld()
    const now = signal.get()
    if (now && !before) {
      void queries.invalidateQueries() // what came from the disk is asked for again
      void kick()
    }
    before = now
  })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void wake())
}

export const useOutbox = () => useStore(box)
/** Own saves that the server does not have yet, by vehicle. */
export const usePending = () => useStore(box).pending
