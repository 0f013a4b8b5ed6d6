import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard } from './support/campaign'
import { supervisor } from './support/people'
import { DESK, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders } from './support/session'

const PARTS = ['header', 'nav', 'button:not(thead button)', 'input', 'select', '[role=search]', '[class*="_button_"]', '[data-bottom-bar]', '[aria-live=polite]']

/** Returns the parts that are there to be pressed and that a printed page would show. The head of a sortable column is a button and is printed. */
const pressable = (page: Page) =>
  page.evaluate((selectors) => selectors.filter((selector) => [...document.querySelectorAll(selector)].some((part) => part.checkVisibility())), PARTS)

test.describe('at the desk', () => {
  test.use({ viewport: DESK })

  test('lists and the campaign are printed without header, rail and buttons, with name, repeated head and address', async ({ page }) => {
    const { id, name } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Print', createRowsInYard('K', 12))
    for (const [path, title] of [[`/campaign/${id}/vehicles?yard=K`, 'Vehicles List'], [`/campaign/${id}`, name], ['/user-management?panel=active', null], ['/campaign-home', 'Select Campaign']] as const) {
      await openAs(page, supervisor, path)
      await page.emulateMedia({ media: 'screen' })
      await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible()
      if (title !== null) await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
      await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      expect(await pressable(page), path).toEqual([])
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      const style = await page.evaluate(() => {
        const look = getComputedStyle(document.documentElement)
        return { points: Math.round((Number.parseFloat(look.fontSize) * 72) / 96), background: look.backgroundColor }
      })
      expect(style).toEqual({ points: 10, background: 'rgb(255, 255, 255)' })
      const lines = await page.locator('body').innerText()
      expect(lines.trim().split('\n').at(-1)).toBe(new URL(path, page.url()).href)
      expect(lines).toContain(`HMC ${supervisor.hmc} · `)
      if (path.startsWith(`/campaign/${id}`)) expect(lines).toContain(name)
      if (path.includes('/vehicles')) {
        await expect(page.locator('thead')).toHaveCSS('display', 'table-header-group')
        await expect(page.locator('thead th').first()).toHaveCSS('position', 'static')
        for (const row of await page.locator('tbody tr').all()) await expect(row).toHaveCSS('break-inside', 'avoid')
        await takeScreenshot(page, 'print-vehicles')
      }
    }
  })
})
