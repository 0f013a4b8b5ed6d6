import { createStore, useStore } from '@/lib/store'

/** Whether somebody answered the last call; a network that leads nowhere is no signal either. */
export const signal = createStore(globalThis.navigator.onLine)

export function noteSignal(there: boolean): void {
  if (signal.get() !== there) signal.set(there)
}

export const useSignal = (): boolean => useStore(signal)

if (typeof window !== 'undefined') window.addEventListener('offline', () => noteSignal(false))
