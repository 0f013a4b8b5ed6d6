import { readFileSync } from 'node:fs'
import { expect, type Locator, type Page, type Route } from '@playwright/test'

/** One of the tools of Manage Campaigns. */
export const toolOf = (page: Page, title: string): Locator =>
  page.locator('details').filter({ has: page.getByRole('heading', { name: title }) })

export async function unfold(page: Page, title: string): Promise<Locator> {
  const tool = toolOf(page, title)
  await tool.locator('summary').first().click()
  return tool
}

/** What a list shows with these words in it: rows of a table on the desk, cards on the phone. */
export const rowsOf = (page: Page, words: string | RegExp): Locator => page.locator('tbody tr, main ul > li').filter({ hasText: words })

export const toast = (page: Page, words: string | RegExp): Locator => page.locator('[aria-live=polite]').getByText(words, { exact: true })

/** A toast of one kind, which its edge and its icon tell. */
export const toastOf = (page: Page, kind: 'success' | 'error' | 'info', words: string | RegExp): Locator =>
  page.locator(`[aria-live=polite] [data-kind=${kind}]`).filter({ has: page.getByText(words, { exact: true }) })

/** The screen of this heading is there: it has come, and took the focus. */
export const arrived = (page: Page, heading: string | RegExp): Promise<void> =>
  expect(page.getByRole('heading', { level: 1, name: heading })).toBeFocused()

/** Types an identifier, by hand. */
export async function identify(page: Page, text: string): Promise<void> {
  const field = page.getByLabel('Vehicle identifier')
  await expect(field).toBeVisible()
  if (!(await field.isEditable())) await page.getByRole('button', { name: 'Manual' }).click()
  await field.fill(text)
}

/** Chooses a campaign file and sends it. */
export async function upload(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.getByLabel('Campaign file').setInputFiles(file)
  await page.getByRole('button', { name: 'Upload campaign' }).click()
}

/** What an act makes the browser save. */
export async function downloaded(page: Page, act: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
  const coming = page.waitForEvent('download')
  await act()
  const download = await coming
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) }
}

/** Taps a place that belongs to the link of its row, once nothing moves any more and no toast lies over it. */
export async function tapOn(page: Page, part: Locator): Promise<void> {
  await expect(page.locator('[aria-live=polite]').getByRole('button')).toHaveCount(0)
  await part.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const place = async () => JSON.stringify(await part.boundingBox())
  await expect(async () => {
    const before = await place()
    await page.waitForTimeout(100)
    expect(await place()).toBe(before)
  }).toPass()
  const box = await part.boundingBox()
  await page.mouse.click((box?.x ?? 0) + 6, (box?.y ?? 0) + (box?.height ?? 0) / 2)
}

/** Keeps a call waiting; the function that this returns lets it go, and all that come after. */
export async function held(page: Page, path: string, answer: (route: Route) => Promise<void> = (route) => route.continue()): Promise<() => void> {
  let letGo = () => {}
  const asked = new Promise<void>((resolve) => { letGo = resolve })
  await page.route(path, async (route) => {
    await asked
    await answer(route)
  })
  return () => letGo()
}

/** How much the page is wider than the window. */
export const excess = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Records, by the page's own clock, when the next tap comes and when the address changes after it. */
export const noteTheWay = (page: Page) =>
  page.evaluate(() => {
    const way = { tapped: 0, gone: 0 }
    const from = location.pathname
    const look = () => {
      if (location.pathname === from) requestAnimationFrame(look)
      else way.gone = performance.now()
    }
    addEventListener('click', () => { way.tapped = performance.now() }, { capture: true, once: true })
    requestAnimationFrame(look)
    Object.assign(window, { way })
  })
export const theWay = (page: Page) => page.evaluate(() => (window as unknown as { way: { tapped: number; gone: number } }).way)
