import { createRequire } from 'node:module'
import { expect, test, type Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'
import { rowsOver, uploaded } from './support/campaign'
import { supervisor, unique, type Person } from './support/people'
import { DESK, PHONE } from './support/screenshots'
import { enter, headersOf } from './support/session'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const developer: Person = { hmc: process.env.PATIO_DEVELOPER_HMC ?? 'DEV0', password: process.env.PATIO_DEVELOPER_PASSWORD ?? '' }

/** What only the colours decide; the rest is the same in every theme. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/** What axe finds on the screen as it is now, as lines to read. */
async function found(page: Page, rules?: string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const results = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`).join(', ')}`)
}

/** Nothing is found on the phone and on the desk, and nothing is wider than the window. */
async function expectClean(page: Page, screen: string): Promise<void> {
  const theme = await page.evaluate(() => document.documentElement.dataset.theme)
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size)
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await found(page, theme === 'dark' ? COLOURS : undefined), `${screen} at ${size.width}`).toEqual([])
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(excess, `${screen} at ${size.width} is wider than the window`).toBeLessThanOrEqual(0)
  }
}

/** Opens a screen and waits until nothing is loading any more. */
async function look(page: Page, person: Person, path: string): Promise<void> {
  await enter(page, person, path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: '…' })).toHaveCount(0)
  await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
}

for (const theme of ['light', 'dark']) {
  test.describe(theme, () => {
    test.beforeEach(async ({ page }) => {
      await page.addInitScript({ path: AXE })
      await page.addInitScript((name) => localStorage.setItem('look', JSON.stringify({ theme: name, sun: false })), theme)
      await page.emulateMedia({ reducedMotion: 'reduce' })
    })

    test('axe finds nothing on the sign-in and the policies', async ({ page }) => {
      for (const path of ['/', '/privacy-policy', '/terms-service']) {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectClean(page, path)
      }
    })

    test('axe finds nothing on the screens of the main job', async ({ page }) => {
      const name = unique('Accessible')
      const headers = await headersOf(page.request, supervisor)
      const id = await uploaded(page.request, headers, name, rowsOver(40))
      const vehicles = (await (await page.request.get(`/api/vehicles/campaign/${id}`, { headers })).json()) as { vehicles: { id: number }[] }
      for (const path of ['/campaign-home', '/yard', '/yard/2', `/campaign/${id}`, `/campaign/${id}/vehicles`, `/campaign/${id}/walk`, `/vehicle/${vehicles.vehicles[0]?.id}`, '/import']) {
        await look(page, supervisor, path)
        await expectClean(page, path)
      }
      await look(page, supervisor, `/vehicle/${vehicles.vehicles[0]?.id}`)
      await page.getByRole('button', { name: 'Scan', exact: true }).click()
      await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible() // there is no camera here
      await expectClean(page, 'the scanner')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Open menu' }).click()
      await expectClean(page, 'the menu')
    })

    test('axe finds nothing on the screens of team leaders and supervisors', async ({ page }) => {
      for (const panel of ['', 'create', 'active', 'password', 'permission', 'hmc']) {
        await look(page, supervisor, `/user-management${panel && `?panel=${panel}`}`)
        await expectClean(page, `/user-management ${panel}`)
      }
      await look(page, supervisor, '/account')
      await expectClean(page, '/account')
      await look(page, supervisor, '/campaign-list')
      for (const summary of await page.locator('details > summary').all()) await summary.click()
      await page.getByLabel('VIN and parking space list').fill('HB20\nHB20 1')
      await page.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('Model Code,Serial Number,Status\nHB20,000001,ok\n,000002,ok') })
      await expect(page.getByText('line 3 requires both Model Code and Serial Number')).toBeVisible()
      await expectClean(page, '/campaign-list')
      await page.getByRole('button', { name: /^Delete / }).first().click()
      await expectClean(page, 'the question before deleting')
    })

    test('axe finds nothing on the screens of the developer', async ({ page }) => {
      test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
      for (const path of ['/logs-audit', '/developer']) {
        await look(page, developer, path)
        await expectClean(page, path)
      }
    })
  })
}
