import type { QueryClient } from '@tanstack/react-query'
import { useStore } from '@/lib/store'
import { refreshCountsSoon, keep } from './cache'
import { box, prune, read } from './box'
import { kick, signal, wake, whenSaved } from './sender'

export { keep, refreshCountsSoon } from './cache'
export { box, put, remove } from './box'
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
  })
  void wake()
  if (started) return
  started = true
  void prune(Date.now()).then(read)
  window.addEventListener('online', () => void kick())
  window.addEventListener('offline', () => signal.set(false))
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void wake())
}

export const useOutbox = () => useStore(box)
/** Whether there is a way to the server, as far as the last try knows. */
export const useSignal = () => useStore(signal)
/** Own saves that the server does not have yet, by vehicle. */
export const usePending = () => useStore(box).pending
