import { readFileSync } from 'node:fs'
import { expect, type Locator, type Page, type Route } from '@playwright/test'

const MIN_TABS = 900
/** Whether the tools of Manage Campaigns are tabs in this window. In a narrower window, the tools are sections that open and close. */
const hasTabs = (page: Page) => (page.viewportSize()?.width ?? 0) >= MIN_TABS

/** Returns a tool of Manage Campaigns by its title. A tool in a tab is in the page only while the tab is chosen. */
export const toolOf = (page: Page, title: string): Locator =>
  hasTabs(page) ? page.getByRole('tabpanel', { name: title, exact: true }) : page.locator('details').filter({ has: page.getByRole('heading', { name: title }) })

/** Opens a tool of Manage Campaigns. */
export async function openTool(page: Page, title: string): Promise<Locator> {
  const tool = toolOf(page, title)
  if (hasTabs(page)) await page.getByRole('tab', { name: new RegExp(`^${title}`) }).click()
  else if (!(await tool.evaluate((fold) => (fold as HTMLDetailsElement).open))) await tool.locator('summary').first().click()
  return tool
}

/** Shows the campaign list of Manage Campaigns, which the tab of a tool hides. */
export async function showCampaigns(page: Page): Promise<void> {
  if (hasTabs(page)) await page.getByRole('tab', { name: /^Campaigns/ }).click()
}

/** Returns the entry of a campaign in Manage Campaigns: a table row, or a card. */
export const campaignRow = (page: Page, name: string): Locator =>
  listEntries(page, name).filter({ has: page.getByRole('button', { name: `Export all yards of ${name} as XLSX`, exact: true }) })

/** Opens a menu and chooses an entry. Scrolling to the button may close the menu, which is then opened again. */
export async function chooseFromMenu(button: Locator, item: Locator): Promise<void> {
  await expect(async () => {
    if (!(await item.isVisible())) await button.click({ timeout: 5000 })
    await item.click({ timeout: 1000 })
  }).toPass({ timeout: 30_000 })
}

/** Chooses 'Delete' for a campaign of Manage Campaigns, by default the first one: a button in the table, an entry of the menu on a card. */
export async function chooseDeleteCampaign(page: Page, name = ''): Promise<void> {
  if (hasTabs(page)) await page.getByRole('button', { name: `Delete ${name}` }).first().click()
  else await chooseFromMenu(page.getByRole('button', { name: `Convert to SQL or delete ${name}` }).first(), page.getByRole('menuitem', { name: `Delete ${name}` }).first())
}

/** Chooses an action in the 'More actions' menu of a row. */
export const chooseRowAction = (page: Page, of: string, action: string): Promise<void> =>
  chooseFromMenu(page.getByRole('button', { name: `Actions for ${of}`, exact: true }), page.getByRole('menuitem', { name: action, exact: true }))

/** Returns the list entries that contain these words: table rows on a desktop, cards on a phone. */
export const listEntries = (page: Page, words: string | RegExp): Locator => page.locator('tbody tr, main ul > li').filter({ hasText: words })

export const toastWith = (page: Page, words: string | RegExp): Locator => page.locator('[aria-live=polite]').getByText(words, { exact: true })

/** Returns a toast of one kind, recognized by its border and icon. */
export const toastOfKind = (page: Page, kind: 'success' | 'error' | 'info', words: string | RegExp): Locator =>
  page.locator(`[aria-live=polite] [data-kind=${kind}]`).filter({ has: page.getByText(words, { exact: true }) })

/** Waits until the screen with this heading is shown and its heading has the focus. */
export const waitForScreen = (page: Page, heading: string | RegExp): Promise<void> =>
  expect(page.getByRole('heading', { level: 1, name: heading })).toBeFocused()

/** Types a vehicle identifier into the Manual field. */
export async function typeIdentifier(page: Page, text: string): Promise<void> {
  const field = page.getByLabel('Vehicle identifier')
  await expect(field).toBeVisible()
  // A tap that meets the form while the vehicle is still loading is repeated, as a person would.
  await expect(async () => {
    if (!(await field.isEditable())) await page.getByRole('button', { name: 'Manual' }).click({ timeout: 2000 })
    await field.fill(text, { timeout: 2000 })
  }).toPass({ timeout: 20_000 })
}

/** Opens the notes of an inspection when they are folded, and returns the field of the operator's notes. */
export async function openNotes(page: Page): Promise<Locator> {
  const heading = page.getByRole('button', { name: 'Insert Notes' })
  if ((await heading.getAttribute('aria-expanded')) === 'false') await heading.click()
  return page.getByLabel('Operator / Team Leader Notes')
}

/** Opens the statuses that may not be chosen now, when there are any and they are folded. */
export async function openOtherStatuses(page: Page): Promise<void> {
  const others = page.locator('details').filter({ hasText: 'Statuses not allowed' })
  if ((await others.count()) > 0 && (await others.getAttribute('open')) === null) await others.locator('summary').click()
}

/** Selects a campaign file and uploads it. */
export async function uploadFile(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.getByLabel('Campaign file').setInputFiles(file)
  await page.getByRole('button', { name: 'Upload campaign' }).click()
}

/** Runs `act` and returns the file that the browser downloads. */
export async function captureDownload(page: Page, act: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
  const coming = page.waitForEvent('download')
  await act()
  const download = await coming
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) }
}

/** Taps an element inside the link of a row, after animations have ended and no toast covers it. */
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

/** Blocks a call. The returned function releases it and stops blocking later ones. */
export async function holdRequest(page: Page, path: string, answer: (route: Route) => Promise<void> = (route) => route.continue()): Promise<() => void> {
  let letGo = () => {}
  const asked = new Promise<void>((resolve) => { letGo = resolve })
  await page.route(path, async (route) => {
    await asked
    await answer(route)
  })
  return () => letGo()
}

/** Returns the number of pixels by which the page is wider than the window. */
export const getOverflowWidth = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Records the times, by the page's clock, of the next tap and of the change of address after it. */
export const recordNavigationTimes = (page: Page) =>
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

/** Returns the times that `recordNavigationTimes` records, once the address has changed. */
export async function getNavigationTimes(page: Page): Promise<{ tapped: number; gone: number }> {
  const times = () => page.evaluate(() => (window as unknown as { way: { tapped: number; gone: number } }).way)
  await expect.poll(async () => (await times()).gone).toBeGreaterThan(0)
  return times()
}
