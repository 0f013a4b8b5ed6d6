import { expect, test, type Page } from './support/test'
import { createRowsInYard, importUniqueCampaign, saveVehicle } from './support/campaign'
import { supervisor } from './support/people'
import { DESK, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders } from './support/session'

/** A4 sheet in CSS pixels, without its margins. */
const SHEET = { width: 718, height: 1010 }
const PARTS = ['header', 'nav', 'button:not(thead button, [data-print], h2 > [aria-expanded=true])', 'input', 'select', 'label', '[role=search]', '[class*="_button_"]', '[data-bottom-bar]', '[aria-live=polite]']

/** Returns the parts that are there to be pressed and that a printed page would show. Titles of columns and values that are buttons are printed. */
const pressable = (page: Page) =>
  page.evaluate((selectors) => selectors.filter((selector) => [...document.querySelectorAll(selector)].some((part) => part.checkVisibility())), PARTS)

/** Opens a page and puts it on paper once its parts are loaded. */
async function print(page: Page, path: string, waitsFor: string): Promise<string> {
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize(DESK)
  await openAs(page, supervisor, path)
  await expect(page.getByText(waitsFor).first()).toBeVisible()
  await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
  await expect(page.locator('footer')).toBeAttached() // its code is loaded later
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.setViewportSize(SHEET)
  await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)) })) // the change of the medium is reported with the next frame
  return page.locator('body').innerText()
}

const importToPrint = async ({ request }: Page, name: string, rows: number) => importUniqueCampaign(request, await getHeaders(request, supervisor), name, [...createRowsInYard('K', rows), ...createRowsInYard('L', 2, 901)])

test.describe('at the desk', () => {
  test.use({ viewport: DESK })

  test('lists and the campaign are printed without header, rail and buttons, with name, repeated head and address', async ({ page }) => {
    const { id, name } = await importToPrint(page, 'Print', 12)
    for (const [path, title] of [[`/campaign/${id}/vehicles?yard=K`, 'Vehicles List'], [`/campaign/${id}`, name], ['/user-management?panel=active', 'User Management'], ['/campaign-home', 'Select Campaign']] as const) {
      const lines = await print(page, path, title)
      expect(await pressable(page), path).toEqual([])
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
      const style = await page.evaluate(() => {
        const look = getComputedStyle(document.documentElement)
        return { points: Math.round((Number.parseFloat(look.fontSize) * 72) / 96), background: look.backgroundColor }
      })
      expect(style).toEqual({ points: 10, background: 'rgb(255, 255, 255)' })
      expect(lines.trim().split('\n').at(-1)).toBe(new URL(path, page.url()).href)
      expect(lines).toContain(`HMC ${supervisor.hmc} · `)
      await expect(page.locator('thead').first()).toHaveCSS('display', 'table-header-group')
      await expect(page.locator('thead th').first()).toHaveCSS('position', 'static')
      for (const sort of await page.locator('thead th > button').all()) await expect(sort).toHaveCSS('display', 'contents') // a button would be missing in the repeated head
      if (path !== `/campaign/${id}`) await expect(page.locator('div:has(> table)').first()).toHaveCSS('border-radius', '0px')
      if (path === '/campaign-home') expect(lines).toMatch(/^1 to .+ of .+$/m)
      for (const row of await page.locator('tbody tr').all()) await expect(row).toHaveCSS('break-inside', 'avoid')
      if (path.startsWith(`/campaign/${id}`)) expect(lines).toContain(name)
      await takeScreenshot(page, `print${path.replaceAll(/\W/g, '-')}`)
    }
  })

  test('all vehicles that match the filter are printed as one table, with the filter above', async ({ page }) => {
    const { id, model } = await importToPrint(page, 'Sheet', 70)
    const lines = await print(page, `/campaign/${id}/vehicles?yard=K`, '1 to 10 of 70')
    const rows = page.locator('tbody tr').filter({ hasText: model })
    await expect(rows).toHaveCount(70)
    await expect(rows.last()).toContainText('K-70')
    await expect(page.locator('thead th:visible')).toHaveText(['VIN Number', 'Parking Space', 'Status'])
    expect(lines).toContain('Filtro: Yard K. 70 de 72.')
    expect(lines).toContain('1 to 70 of 70')
    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize(DESK)
    await expect(rows).toHaveCount(10)
  })

  test('Print opens the print dialog when all rows are in the page', async ({ page }) => {
    await page.addInitScript(() => {
      window.print = () => {
        window.dispatchEvent(new Event('beforeprint'))
        document.title = `${document.querySelectorAll('tbody tr').length} rows`
        window.dispatchEvent(new Event('afterprint'))
      }
    })
    const { id, model } = await importToPrint(page, 'Dialog', 70)
    await openAs(page, supervisor, `/campaign/${id}/vehicles`)
    await page.getByRole('button', { name: 'Print' }).click()
    await expect(page).toHaveTitle('72 rows')
    await expect(page.locator('tbody tr').filter({ hasText: model })).toHaveCount(10)
  })

  test('values that are buttons on the screen are printed, and a vehicle is printed with its history', async ({ page }) => {
    const users = await print(page, '/user-management?panel=active', supervisor.hmc)
    expect(users).toMatch(new RegExp(`^${supervisor.hmc}\\b`, 'm'))
    expect(users).toMatch(/^1 to (.+) of \1$/m)
    for (const head of ['HMC (Register Number)', 'Created on', 'Last sign-in']) expect(users).toContain(head)
    const { vehicles } = await importToPrint(page, 'Values', 1)
    const vehicle = vehicles[0]
    await saveVehicle(page.request, await getHeaders(page.request, supervisor), vehicle?.id ?? 0, { status: 'ng' })
    await print(page, `/vehicle/${vehicle?.id}`, 'Imported')
    const choice = page.getByRole('group', { name: 'Select Status' })
    await expect(choice.getByRole('button', { pressed: true })).toBeVisible()
    await expect(choice.locator('button:visible')).toHaveText(/^ng/)
    await expect(page.getByRole('button', { name: /^Edit VIN Number/ })).toContainText(vehicle?.vin_number ?? '')
    await expect(page.getByRole('button', { name: /^Edit Parking Space/ })).toContainText('K-1')
    await expect(page.getByRole('heading', { name: 'History' })).toBeVisible()
    await expect(page.getByText('Imported')).toBeVisible()
    await expect(page.locator('svg + svg:visible')).toHaveCount(0)
  })

  test('charts shrink to the sheet although the browser does not measure them again, and nothing to press is printed', async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    // As when a person prints: the layout gets the width of the sheet, but no resize event reaches the page.
    await page.addInitScript(() => {
      window.ResizeObserver = class extends ResizeObserver {
        constructor(onResize: ResizeObserverCallback) {
          super((...sizes) => matchMedia('print').matches || onResize(...sizes))
        }
      }
    })
    const { id, vehicles } = await importToPrint(page, 'Charts', 60)
    for (const [index, status] of ['ok', 'ng', 'Repair'].entries()) await saveVehicle(page.request, await getHeaders(page.request, supervisor), vehicles[index]?.id ?? 0, { status })
    for (const [path, charts] of [[`/campaign/${id}`, 5], ['/campaign-home', 2]] as const) {
      await page.emulateMedia({ media: 'screen' })
      await openAs(page, supervisor, path)
      await expect(page.getByRole('region', { name: 'Progress over time' }).getByRole('img').first()).toBeVisible()
      await expect(page.getByRole('region', { name: /^Per hour, / }).getByRole('img')).toBeVisible()
      await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
      await page.emulateMedia({ media: 'print' })
      await page.getByRole('main').evaluate((main, width) => main.style.setProperty('width', `${width}px`, 'important'), SHEET.width)
      const images = page.getByRole('main').locator('svg[role=img]:visible')
      await expect.poll(() => images.count(), path).toBeGreaterThanOrEqual(charts)
      const parts = await page.getByRole('main').evaluate((main) => {
        const left = main.getBoundingClientRect().x
        const visible = [...main.querySelectorAll('svg, table, li')].filter((part) => part.checkVisibility())
        return visible.map((part) => ({ label: part.getAttribute('aria-label'), right: part.getBoundingClientRect().right - left }))
      })
      for (const { label, right } of parts) expect(right, `${path}: ${label}`).toBeLessThanOrEqual(SHEET.width + 1)
      await expect(page.getByText('3. ', { exact: false }).and(page.locator('ol *')).filter({ visible: true })).toHaveCount(0)
      await expect(page.getByRole('link', { name: /^View / }).filter({ visible: true })).toHaveCount(0)
    }
    await page.goto(`/campaign/${id}`)
    const figures = page.locator('dl').filter({ hasText: 'Per hour now' }).locator('dt')
    await expect(figures).toHaveCount(5)
    const tops = await figures.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y))
    expect(new Set(tops).size, 'the figures stand in one row').toBe(1)
    await expect(page.getByRole('region', { name: 'Yards' }).locator('[data-hatch]').first()).toBeVisible()
  })

  test('of a campaign the table of yards is printed, and of Manage Campaigns the open tool alone', async ({ page }) => {
    const { id, name } = await importToPrint(page, 'Parts', 3)
    await print(page, `/campaign/${id}`, name)
    await expect(page.getByRole('columnheader', { name: 'Found wrong' })).toBeVisible()
    await expect(page.locator('main section:visible').filter({ hasNotText: /\S/ })).toHaveCount(0)
    const history = await print(page, '/campaign-list?tool=history', 'Imports and bulk changes')
    await expect(page.getByRole('heading', { name: 'History', level: 2 })).toBeVisible()
    await expect(page.getByRole('columnheader', { name: 'Change' })).toBeVisible()
    for (const other of ['Status Manager', 'Create New Campaign', 'Inspected']) expect(history).not.toContain(other)
  })
})
