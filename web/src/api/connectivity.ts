import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { createStore, useStore } from '@/lib/store'

/**
 * Whether the last call reached the server. `navigator.onLine` is only the initial value, because it is also true in a network without
 * internet access.
 */
export const serverReachability = createStore(globalThis.navigator.onLine)

/** Key in `sessionStorage` of the time at which the server became unreachable. Stored so that the time survives a reload of the page. */
const SINCE = 'serverUnreachableSince'
const isTime = (value: unknown): value is number => typeof value === 'number'
/**
 * Time at which the server became unreachable, in milliseconds since 1970. Null while the server is reachable or no call has failed yet.
 */
let lostAt = readStoredJson(sessionStorage, SINCE, isTime)
const loadedAt = Date.now()

/** Returns the time at which the server became unreachable. The time is meaningful only while the server cannot be reached. */
export const getServerUnreachableSince = (): Date => new Date(lostAt ?? loadedAt)

export function setServerReachable(isReachable: boolean): void {
  const since = isReachable ? null : (lostAt ?? Date.now())
  if (since !== lostAt) writeStoredJson(sessionStorage, SINCE, (lostAt = since))
  if (serverReachability.get() !== isReachable) serverReachability.set(isReachable)
}

export const useIsServerReachable = (): boolean => useStore(serverReachability)

const FIRST_SERVER_ERROR = 500
/** Number of consecutive server errors (HTTP 500 and above) from which the server counts as failing. A single error is not shown. */
const FAILING_FROM = 2
/** Number of consecutive calls answered with HTTP 500 or above. Any other response resets the number to 0. */
const consecutiveServerErrors = createStore(0)

/** Updates the number of consecutive server errors by the HTTP status of a response. */
export function recordResponseStatus(status: number): void {
  const count = status < FIRST_SERVER_ERROR ? 0 : consecutiveServerErrors.get() + 1
  if (count !== consecutiveServerErrors.get()) consecutiveServerErrors.set(count)
}

/** Whether the last responses were server errors. Meaningful only while the server is reachable. */
export const useIsServerFailing = (): boolean => useStore(consecutiveServerErrors) >= FAILING_FROM

if (typeof window !== 'undefined') window.addEventListener('offline', () => setServerReachable(false))

/**
 * Sends a test request and returns whether the server responded with success. Needed because `serverReachability` may still be true just
 * after the network was lost.
 */
export async function pingServer(): Promise<boolean> {
  const response = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => null)
  return response?.ok === true
}
