import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttle } from './throttle'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the first call runs at once, and the last of the calls that follow runs after the interval', () => {
  const ran: number[] = []
  const run = throttle(100, (n: number) => ran.push(n))
  for (const n of [1, 2, 3]) run(n)
  expect(ran).toEqual([1])
  vi.advanceTimersByTime(100)
  expect(ran).toEqual([1, 3])
  run(4)
  vi.advanceTimersByTime(99)
  expect(ran).toEqual([1, 3])
  vi.advanceTimersByTime(1)
  expect(ran).toEqual([1, 3, 4])
  vi.advanceTimersByTime(200)
  run(5)
  expect(ran).toEqual([1, 3, 4, 5])
})
