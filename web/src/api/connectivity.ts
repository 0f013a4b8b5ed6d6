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
let lostAt = new Date(readSince())
/** Whether the storage may contain a time, also one of the page that was loaded before. */
let isStored = true

/** Returns the time at which the server became unreachable. The time is meaningful only while the server cannot be reached. */
export const getServerUnreachableSince = (): Date => lostAt

export function setServerReachable(isReachable: boolean): void {
  if (isReachable && isStored) writeStoredJson(sessionStorage, SINCE, null)
  isStored = !isReachable
  if (serverReachability.get() === isReachable) return
  if (!isReachable) storeLoss()
  serverReachability.set(isReachable)
}

function storeLoss(): void {
  lostAt = new Date(readSince())
  writeStoredJson(sessionStorage, SINCE, lostAt.getTime())
}

export const useIsServerReachable = (): boolean => useStore(serverReachability)

if (!serverReachability.get()) storeLoss()
if (typeof window !== 'undefined') window.addEventListener('offline', () => setServerReachable(false))

/**
 * Sends a test request and returns whether the server responded with success. Needed because `serverReachability` may still be true just
 * after the network was lost.
 */
export async function pingServer(): Promise<boolean> {
  const response = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => null)
  return response?.ok === true
}
