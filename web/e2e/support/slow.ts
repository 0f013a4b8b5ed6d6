import { expect, type Page } from '@playwright/test'

/** As the developer tools slow a processor down to that of a phone. */
const SLOWER = 4
/** What `work` takes at best on the machine that the bounds were set on, in milliseconds. */
const REFERENCE_MS = 24
const TRIES = 7

/** Some of what a screen does: sorts texts, makes rows, has them laid out. */
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

/** Makes a page as slow as on a phone, and as fast as it is again. */
export interface Pace {
  slow: () => Promise<void>
  fast: () => Promise<void>
}

/** Slows a page down four times; on a machine that is slower by itself, by so much less. */
export async function paceOf(page: Page): Promise<Pace> {
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

/** The middle one. */
export const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/** Takes the times of one more round into the least of each. */
export function lessen(least: number[], times: number[]): void {
  expect(times).toHaveLength(least.length)
  for (const [at, time] of times.entries()) least[at] = Math.min(least[at] ?? Infinity, time)
}
