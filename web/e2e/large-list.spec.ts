import { expect, test, type Page } from './support/test'
import { createRowsInAllYards, importCampaign } from './support/campaign'
import { supervisor, uniqueName } from './support/people'
import { DESK, PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForRequests } from './support/session'
import { updateFastestTimes, median, measurePace } from './support/slow'

const VEHICLES = 100_000
const KEY_MS = 50
const FIRST_ROWS_MS = 1500
const MOST_NODES = 300
const KEYS = 'HB20 0999'
/** Number of measurements. The fastest one counts, since other work on the machine only slows a measurement down. */
const ROUNDS = 12

/** Time limit in milliseconds from an interaction to the next paint. */
const PAINT_MS = 100
/** Greatest number of rows in the document when all are on one page. */
const MOST_ROWS = 120

let large = 0

/** Returns the id of a campaign with a hundred thousand vehicles, which is imported once. */
async function largeCampaign(page: Page): Promise<number> {
  // On a busy machine the workbook reader may exceed its time limit, so the import is retried.
  await expect(async () => {
    if (large === 0) large = await importCampaign(page.request, await getHeaders(page.request, supervisor), uniqueName('Large'), createRowsInAllYards(VEHICLES))
  }).toPass({ timeout: 150_000 })
  return large
}

/** Opens a list without a page load, and returns the milliseconds until its first rows are shown. */
const timeToRows = (page: Page, path: string): Promise<number> =>
  page.evaluate(async (to) => {
    const begun = performance.now()
    history.pushState(null, '', to)
    const there = () => document.querySelector('h1')?.textContent === 'Vehicles List' && document.querySelectorAll('main ul > li').length === 10
    while (!there()) await new Promise(requestAnimationFrame)
    return performance.now() - begun
  }, path)

test.use({ viewport: PHONE })
test.setTimeout(300_000)

test('a list of a hundred thousand vehicles opens and is searched without waiting, on a slow phone', async ({ page }, info) => {
  const id = await largeCampaign(page)
  const pace = await measurePace(page)
  const rows = page.locator('main ul > li')
  let opened = Infinity
  for (let round = 0; round < ROUNDS && opened >= FIRST_ROWS_MS; round++) {
    await pace.fast()
    await openAs(page, supervisor, '/campaign-home')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await waitForRequests(page)
    await pace.slow()
    opened = Math.min(opened, await timeToRows(page, `/campaign/${id}/vehicles`))
  }
  await expect(rows).toHaveCount(10)

  const search = page.getByRole('searchbox')
  await expect(page.getByRole('button', { name: /^All 100 000$/ })).toBeVisible({ timeout: 60_000 })
  await search.focus()
  await page.evaluate(() => {
    const [shown, answered] = [[], []] as [number[], number[]]
    Object.assign(window, { shown, answered })
    let begun = 0
    addEventListener('keydown', () => { begun = performance.now() }, true)
    addEventListener('input', () => {
      setTimeout(() => shown.push(performance.now() - begun))
      setTimeout(() => answered.push(performance.now() - begun), 10) // after the search, which begins 8 ms after the key
    }, true)
  })
  const [key, answer] = [[...KEYS].map(() => Infinity), [...KEYS].map(() => Infinity)]
  for (let round = 0; round < ROUNDS && (Math.max(...key) >= KEY_MS || median(answer) >= KEY_MS); round++) {
    await pace.slow()
    await page.keyboard.type(KEYS, { delay: 150 })
    await expect(page.getByRole('button', { name: /^All 100$/ })).toBeVisible()
    await search.evaluate((field: HTMLInputElement) => field.select())
    const taken = await page.evaluate(() => {
      const { shown, answered } = window as unknown as Record<'shown' | 'answered', number[]>
      return { shown: shown.splice(0), answered: answered.splice(0) }
    })
    updateFastestTimes(key, taken.shown)
    updateFastestTimes(answer, taken.answered)
  }
  const nodes = await rows.evaluateAll((all) => all.reduce((sum, row) => sum + 1 + row.querySelectorAll('*').length, 0))
  const measurements = `first rows ${Math.round(opened)} ms, a key ${key.map(Math.round).join(' ')} ms, its answer ${answer.map(Math.round).join(' ')} ms, ${nodes} nodes of rows`
  info.annotations.push({ type: 'measured', description: measurements })
  expect(opened).toBeLessThan(FIRST_ROWS_MS)
  expect(Math.max(...key)).toBeLessThan(KEY_MS)
  expect(median(answer)).toBeLessThan(KEY_MS)
  expect(nodes).toBeLessThanOrEqual(MOST_NODES)
  await pace.fast()
  await takeScreenshot(page, 'vehicles-large')
})

/** Records the time from each interaction to the next paint, as the browser measures it. */
const recordPaints = (page: Page) =>
  page.evaluate(() => {
    const paints = new Map<number, number>()
    Object.assign(window, { paints })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as PerformanceEventTiming[]) {
        const { interactionId = 0 } = entry as PerformanceEventTiming & { interactionId?: number }
        if (interactionId > 0) paints.set(interactionId, Math.max(paints.get(interactionId) ?? 0, entry.duration))
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: false } as PerformanceObserverInit)
  })
const slowestPaint = (page: Page) =>
  page.evaluate(() => {
    const { paints } = window as unknown as { paints: Map<number, number> }
    const slowest = Math.max(0, ...paints.values())
    paints.clear()
    return slowest
  })

test('a hundred thousand vehicles are sorted, filtered, walked and scrolled at a desk without waiting', async ({ page }, info) => {
  await page.setViewportSize(DESK)
  const id = await largeCampaign(page)
  const pace = await measurePace(page)
  await openAs(page, supervisor, `/campaign/${id}/vehicles`)
  await expect(page.getByRole('button', { name: /^All 100 000$/ })).toBeVisible({ timeout: 60_000 })
  await recordPaints(page)
  const first = page.locator('tbody tr').first()
  const sort = async (column: string, expected: string) => {
    await page.getByRole('columnheader', { name: column }).getByRole('button').click()
    await expect(page.locator('[aria-busy=true] tbody')).toHaveCount(0, { timeout: 60_000 })
    await expect(first).toContainText(expected)
  }
  const actions: [name: string, act: () => Promise<void>][] = [
    ['sort by VIN', async () => {
      await sort('VIN Number', 'HB20 000001')
      await sort('VIN Number', 'HB20 100000')
    }],
    ['filter by status', async () => {
      const chip = page.getByRole('button', { name: /^Not inspected/ })
      await chip.click()
      await expect(chip).toHaveAttribute('aria-pressed', 'true')
      await chip.click()
      await expect(chip).toHaveAttribute('aria-pressed', 'false')
    }],
    ['type while sorted', async () => {
      await page.getByRole('searchbox').click()
      await page.keyboard.type('0999', { delay: 200 })
      await page.getByRole('searchbox').fill('')
      await expect(page.getByRole('button', { name: /^All 100 000$/ })).toBeVisible()
    }],
    ['unsort', () => sort('VIN Number', '- 1')],
    ['open and walk', async () => {
      await first.getByRole('link').click()
      await expect(page.getByRole('region', { name: 'Open vehicle' })).toBeVisible()
      for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowDown', { delay: 100 })
      await page.getByRole('button', { name: 'Close vehicle' }).click()
    }],
  ]
  const slowest = new Map<string, number>()
  for (let round = 0; round < 5 && (round === 0 || Math.max(...slowest.values()) > PAINT_MS); round++) {
    for (const [name, act] of actions) {
      await pace.slow()
      await slowestPaint(page)
      await act()
      await page.waitForTimeout(200)
      slowest.set(name, Math.min(slowest.get(name) ?? Infinity, await slowestPaint(page)))
    }
  }
  info.annotations.push({ type: 'measured', description: [...slowest].map(([name, ms]) => `${name} ${ms} ms`).join(', ') })
  for (const [name, ms] of slowest) expect.soft(ms, name).toBeLessThanOrEqual(2 * PAINT_MS) // twice the goal leaves room for a busy machine
  await pace.fast()

  await page.getByLabel('Rows per page').selectOption('All')
  await expect(page.getByText('1 to 100 000 of 100 000')).toBeVisible()
  expect(await page.locator('tbody tr').count()).toBeLessThan(MOST_ROWS)
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2))
  await expect(page.locator('tbody tr[data-vehicle]').first()).toHaveAttribute('aria-rowindex', /^(49|50)\d{3}$/)
  expect(await page.locator('tbody tr').count()).toBeLessThan(MOST_ROWS)
})
