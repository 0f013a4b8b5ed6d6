import { createStore, useStore } from '@/lib/store'

/**
 * Whether the last call reached the server. `navigator.onLine` is only the initial value, because it is also true in a network without
 * internet access.
 */
export const serverReachability = createStore(globalThis.navigator.onLine)

let lostAt = new Date()

/** Returns the time at which the server became unreachable. The time is meaningful only while the server cannot be reached. */
export const getServerUnreachableSince = (): Date => lostAt

export function setServerReachable(isReachable: boolean): void {
  if (serverReachability.get() === isReachable) return
  if (!isReachable) lostAt = new Date()
  serverReachability.set(isReachable)
}

export const useIsServerReachable = (): boolean => useStore(serverReachability)

if (typeof window !== 'undefined') window.addEventListener('offline', () => setServerReachable(false))

/**
 * Sends a test request and returns whether the server responded with success. Needed because `serverReachability` may still be true just
 * after the network was lost.
 */
export async function pingServer(): Promise<boolean> {
  const response = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => null)
  return response?.ok === true
}
