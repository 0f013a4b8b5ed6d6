import { expect, test, type Page } from '@playwright/test'
import { rowsOver, uploaded } from './support/campaign'
import { supervisor, unique } from './support/people'
import { PHONE, shot } from './support/screenshots'
import { enter, headersOf, quiet } from './support/session'
import { lessen, median, paceOf } from './support/slow'

const VEHICLES = 100_000
const KEY_MS = 50
const FIRST_ROWS_MS = 1500
const MOST_NODES = 300
const KEYS = 'HB20 0999'
/** Other work on the machine only adds to a time, so what counts is the least of some rounds. */
const ROUNDS = 12

/** Goes to a list inside the page; how long until its first rows are there. */
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
  let id = 0
  // On a busy machine the reader's own clock may run out; the next try may have more of it.
  await expect(async () => {
    id = await uploaded(page.request, await headersOf(page.request, supervisor), unique('Large'), rowsOver(VEHICLES))
  }).toPass({ timeout: 150_000 })
  const pace = await paceOf(page)
  const rows = page.locator('main ul > li')
  let opened = Infinity
  for (let round = 0; round < ROUNDS && opened >= FIRST_ROWS_MS; round++) {
    await pace.fast()
    await enter(page, supervisor, '/campaign-home')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await quiet(page)
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
    lessen(key, taken.shown)
    lessen(answer, taken.answered)
  }
  const nodes = await rows.evaluateAll((all) => all.reduce((sum, row) => sum + 1 + row.querySelectorAll('*').length, 0))
  const told = `first rows ${Math.round(opened)} ms, a key ${key.map(Math.round).join(' ')} ms, its answer ${answer.map(Math.round).join(' ')} ms, ${nodes} nodes of rows`
  info.annotations.push({ type: 'measured', description: told })
  expect(opened).toBeLessThan(FIRST_ROWS_MS)
  expect(Math.max(...key)).toBeLessThan(KEY_MS)
  expect(median(answer)).toBeLessThan(KEY_MS)
  expect(nodes).toBeLessThanOrEqual(MOST_NODES)
  await pace.fast()
  await shot(page, 'vehicles-large')
})
