import { ApiProblem } from '@/api/apiProblem'
import { offlineCampaigns } from './offlineCampaigns'

/** Time in milliseconds to wait for the server before data stored on this device is shown instead. */
const SERVER_TIMEOUT_MS = 4000
const TIMEOUT = Symbol('timeout')

/**
 * Returns the server's response. If the server is unreachable or slow, returns the data that `lookup` finds on this device, if any. If no
 * campaign is available offline, only waits for the server and never calls `lookup`.
 */
export async function withOfflineFallback<T>(call: Promise<T>, lookup: () => Promise<T | null>): Promise<T> {
  if (offlineCampaigns.get().length === 0) return await call
  const timeout = new Promise<typeof TIMEOUT>((resolve) => {
    setTimeout(resolve, SERVER_TIMEOUT_MS, TIMEOUT)
  })
  try {
    const first = await Promise.race([call, timeout])
    if (first !== TIMEOUT) return first
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 0) throw error
    const stored = await resultOf(lookup)
    if (stored === null) throw error
    return stored
  }
  call.catch(() => undefined)
  return (await resultOf(lookup)) ?? (await call)
}

/** Returns the result of a lookup, or null when the lookup fails. An error of the database must not replace the error of the call. */
async function resultOf<T>(lookup: () => Promise<T | null>): Promise<T | null> {
  try {
    return await lookup()
  } catch {
    return null
  }
}
