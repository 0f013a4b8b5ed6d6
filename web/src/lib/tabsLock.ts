import { isRecord, parseJson } from './json'
import { createUuid } from './createUuid'

/**
 * Lifetime in milliseconds of a lease that is not renewed. Leases expire, because the tab that holds a lease may be closed or
 * suspended.
 */
const LEASE_MS = 6000
const RENEW_MS = 2000
/**
 * Time in milliseconds between claiming a lease and checking the claim. If another tab claims the lease at the same moment, the check sees
 * the claim of that tab.
 */
const CLAIM_MS = 60

interface Lease {
  tab: string
  until: number
}

const isLease = (value: unknown): value is Lease => isRecord(value) && typeof value.tab === 'string' && typeof value.until === 'number'
const leaseOf = (key: string): Lease | null => parseJson(localStorage.getItem(key) ?? '', isLease)

const write = (key: string, tab: string): void => localStorage.setItem(key, JSON.stringify({ tab, until: Date.now() + LEASE_MS }))

/**
 * Returns whether a lease can be claimed. A lease is free if it is missing or has expired. A lease with more than `LEASE_MS` left is also
 * free, because the clock must have been set back.
 */
function isFree(lease: Lease | null): boolean {
  const left = (lease?.until ?? 0) - Date.now()
  return left <= 0 || left > LEASE_MS
}

/** Waits for `ms`, or until another tab releases the lease, or until the signal is aborted. */
function pause(key: string, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      window.removeEventListener('storage', changed)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const changed = (event: StorageEvent) => event.key === key && event.newValue === null && end()
    const timer = setTimeout(end, ms)
    window.addEventListener('storage', changed)
    signal.addEventListener('abort', end)
  })
}

/**
 * Runs `act` while this tab holds the lease. Returns false when `act` was stopped because this tab has lost the lease, else true.
 */
async function withLease(key: string, tab: string, signal: AbortSignal, act: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const lost = new AbortController()
  const isOwn = () => leaseOf(key)?.tab === tab
  const release = () => isOwn() && localStorage.removeItem(key)
  const renewal = setInterval(() => (isOwn() ? write(key, tab) : lost.abort()), RENEW_MS)
  window.addEventListener('pagehide', release)
  try {
    await act(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(renewal)
    window.removeEventListener('pagehide', release)
    release()
  }
  return !lost.signal.aborted
}

/** Returns the browser's Web Locks. Returns null on a page that was loaded over http, and in old browsers. */
export const getWebLocks = (): LockManager | null => navigator.locks ?? null

/**
 * Runs `act` in only one tab of this browser at a time; other tabs wait until `act` has ended. In browsers without Web Locks, a lease in
 * local storage replaces the lock. A suspended tab may lose the lease; its `act` is then aborted and later runs again.
 */
export async function runInOneTab(name: string, signal: AbortSignal, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const locks = getWebLocks()
  if (locks) return await locks.request(name, { signal }, () => act(signal))
  const [key, tab] = [`lease ${name}`, createUuid()]
  while (!signal.aborted) {
    if (isFree(leaseOf(key))) {
      write(key, tab)
      await pause(key, CLAIM_MS, signal)
      if (leaseOf(key)?.tab === tab && (await withLease(key, tab, signal, act))) return
    } else await pause(key, RENEW_MS, signal)
  }
}
