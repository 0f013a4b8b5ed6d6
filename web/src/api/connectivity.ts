import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { createStore, useStore } from '@/lib/store'

/**
 * Whether the last call reached the server. `navigator.onLine` is only the initial value, because it is also true in a network without
 * internet access.
 */
export const serverReachability = createStore(globalThis.navigator.onLine)

/** Key under which the tab's web storage keeps the time since which the server cannot be reached, for pages that are loaded again. */
const SINCE = 'serverUnreachableSince'
const isTime = (value: unknown): value is number => typeof value === 'number'
const readSince = (): number => readStoredJson(sessionStorage, SINCE, isTime) ?? Date.now()
let lostAt = readSince()

/** Returns the time at which the server became unreachable. The time is meaningful only while the server cannot be reached. */
export const getServerUnreachableSince = (): Date => new Date(lostAt)

export function setServerReachable(isReachable: boolean): void {
  if (isReachable) writeStoredJson(sessionStorage, SINCE, null)
  if (serverReachability.get() === isReachable) return
  if (!isReachable) writeStoredJson(sessionStorage, SINCE, (lostAt = readSince()))
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
