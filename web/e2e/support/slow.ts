import { expect, type Page } from '@playwright/test'

/** Factor by which the developer tools slow the processor down to a phone's. */
const SLOWER = 4
/** Fastest time of `work`, in milliseconds, on the machine for which the time limits were set. */
const REFERENCE_MS = 24
const TRIES = 7

/** Does typical work of a screen: sorts texts, creates rows and lays them out. Returns the milliseconds it takes. */
const work = (): number => {
  const begun = performance.now()
  const texts = Array.from({ length: 20_000 }, (_, n) => `HB20 ${String((n * 7919) % 100_003).padStart(6, '0')}`).toSorted()
  const list = document.createElement('ul')
  list.append(...texts.slice(0, 1000).map((text) => {
    const row = document.createElement('li')
    row.textContent = text
    return row
  }))
  document.body.append(list)
  list.getBoundingClientRect()
  list.remove()
  return performance.now() - begun
}

/** Switches a page between the speed of a phone and its own speed. */
export interface Pace {
  slow: () => Promise<void>
  fast: () => Promise<void>
}

/** Returns the pace of a page: slowed down four times, or less on a slower machine. */
export async function measurePace(page: Page): Promise<Pace> {
  const session = await page.context().newCDPSession(page)
  const set = async (rate: number): Promise<void> => {
    await session.send('Emulation.setCPUThrottlingRate', { rate })
  }
  let best = Infinity
  const slow = async (): Promise<void> => {
    await set(1)
    for (let n = 0; n < TRIES; n++) best = Math.min(best, await page.evaluate(work))
    await set(Math.min(SLOWER, Math.max(1, (SLOWER * REFERENCE_MS) / best)))
  }
  return { slow, fast: () => set(1) }
}

/** Returns the median. */
export const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/** Updates the fastest times with those of another round. */
export function updateFastestTimes(least: number[], times: number[]): void {
  expect(times).toHaveLength(least.length)
  for (const [at, time] of times.entries()) least[at] = Math.min(least[at] ?? Infinity, time)
}
