import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runInOneTab } from './tabsLock'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', {}) // a page loaded over http has no locks
  localStorage.clear()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Returns a tab that requests the lock, and records whether the tab holds it. */
function tab(name = 'stream') {
  const closed = new AbortController()
  const state = { runs: 0, has: false, close: () => closed.abort() }
  void runInOneTab(name, closed.signal, (signal) => {
    state.runs++
    state.has = true
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        state.has = false
        resolve()
      })
    })
  })
  return state
}

test('without Web Locks one tab runs at a time, and the next one when it has ended', async () => {
  const tabs = [tab(), tab(), tab()]
  await vi.advanceTimersByTimeAsync(10_000)
  expect(tabs.filter(({ has }) => has)).toHaveLength(1)
  tabs.find(({ has }) => has)?.close()
  await vi.advanceTimersByTimeAsync(3000)
  expect(tabs.filter(({ has }) => has)).toHaveLength(1)
  expect(tabs.map(({ runs }) => runs).toSorted()).toEqual([0, 1, 1])
})

test('a lease expires when its tab no longer renews it, and different names do not block each other', async () => {
  localStorage.setItem('lease stream', JSON.stringify({ tab: 'crashed', until: Date.now() + 6000 }))
  const [waits, other] = [tab(), tab('another')]
  await vi.advanceTimersByTimeAsync(5000)
  expect([waits.has, other.has]).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(4000)
  expect(waits.has).toBe(true)
})

test('a tab stops when another tab has taken its lease; a damaged lease and one from the future are free', async () => {
  localStorage.setItem('lease stream', JSON.stringify({ tab: 'clock', until: Date.now() + 86_400_000 }))
  const first = tab()
  await vi.advanceTimersByTimeAsync(100)
  expect(first.has).toBe(true)
  localStorage.setItem('lease stream', JSON.stringify({ tab: 'other', until: Date.now() + 6000 }))
  await vi.advanceTimersByTimeAsync(2000)
  expect(first.has).toBe(false)
  localStorage.setItem('lease stream', '{')
  await vi.advanceTimersByTimeAsync(2100)
  expect(first.has).toBe(true)
})
