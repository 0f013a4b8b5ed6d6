import { expect, test, type Page } from '@playwright/test'
import { campaignOf, rowsIn } from './support/campaign'
import { colourOf, nameOf } from './support/colours'
import { developer, supervisor, type Person } from './support/people'
import { PHONE, SIZES, shot } from './support/screenshots'
import { enter, headersOf, memberOf, sessionOf } from './support/session'

const back = (page: Page) => page.getByRole('button', { name: 'Back', exact: true })
const openMenu = (page: Page) => page.getByRole('button', { name: 'Open menu' }).click()
const entries = (page: Page) => page.getByRole('navigation', { name: 'Menu' }).locator('a, button')

const HOME = 'Home'
const LEAVING = ['Logout', 'Privacy Policy', 'Terms of Service']
const MANAGING = ['Manage Campaigns']
/** What the product adds, below a heading of its own. */
const OWN = ['On this phone', 'My account']

async function expectMenu(page: Page, person: Person, names: string[]): Promise<void> {
  await enter(page, person, '/campaign-home')
  await openMenu(page)
  await expect(entries(page)).toHaveText(names)
  const menu = page.getByRole('dialog', { name: 'Menu' })
  const added = names.includes('Manage Campaigns') ? ['Create New Campaign', ...OWN] : OWN
  await expect(menu.getByRole('link')).toHaveText([...names.filter((name) => name !== 'Logout'), ...added])
  await expect(menu.getByRole('button')).toHaveText(['', 'Logout']) // the first one closes the menu
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a teal header with a white logo and the product leads home', async ({ page }) => {
      await enter(page, await memberOf(page.request, 'op'), '/yard')
      const header = page.getByRole('banner')
      expect(nameOf(await colourOf(header, 'backgroundColor'))).toBe('teal')
      const logo = header.getByRole('link', { name: 'Patio, go to home' })
      await expect(logo).toHaveText('Patio')
      expect((await colourOf(logo.locator('svg'), 'color')).lightness).toBe(1)
      await expect(page).toHaveTitle('Select Yard · Patio')
      await logo.click()
      await expect(page).toHaveURL(/\/campaign-home$/)
      await expect(page).toHaveTitle('Select Campaign · Patio')
    })

    test('every page but home has a way back, to where one came from', async ({ page }) => {
      const { id, vehicles } = await campaignOf(page.request, await headersOf(page.request, supervisor), 'Way back', rowsIn('K', 1))
      await enter(page, supervisor, '/campaign-home')
      await expect(page.getByRole('heading', { level: 1, name: 'Select Campaign' })).toBeVisible()
      await expect(back(page)).toHaveCount(0)
      for (const path of ['/yard', '/yard/2', `/campaign/${id}`, `/campaign/${id}/vehicles`, `/vehicle/${vehicles[0]?.id}`, '/campaign-list', '/import', '/user-management', '/account', '/privacy-policy', '/terms-service']) {
        await page.goto(path)
        await expect(back(page)).toBeVisible()
      }
      await page.goto('/yard?search=K')
      await page.getByRole('link', { name: /^Yard K/ }).click()
      await expect(page).toHaveURL(/\/yard\/18/)
      await back(page).click()
      await expect(page).toHaveURL(/\/yard\?search=K$/)
    })

    test('a card names the person, the access level and the client', async ({ page }) => {
      const leader = await memberOf(page.request, 'tm')
      await enter(page, leader, '/campaign-home')
      const card = page.getByRole('region', { name: 'Signed in as' })
      await expect(card).toContainText(`HMC ${leader.hmc}`)
      await expect(card).toContainText('Team Leader')
      await expect(card.locator('svg')).toBeVisible()
      const { id, hmc } = await sessionOf(page.request, leader)
      await page.evaluate((user) => sessionStorage.setItem('user', user), JSON.stringify({ id, hmc, user_type: 'auditor' }))
      await page.reload()
      await expect(card).toContainText('auditor')
    })

    test('the menu slides in at the right, over two thirds of a phone and a quarter of a desk', async ({ page }) => {
      await enter(page, await memberOf(page.request, 'op'), '/campaign-home')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await openMenu(page)
      const menu = page.getByRole('dialog', { name: 'Menu' })
      await expect.poll(async () => Math.round((await menu.boundingBox())?.x ?? 0)).toBe(Math.round(viewport.width * (viewport.width === PHONE.width ? 1 / 3 : 3 / 4)))
      const box = await menu.boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeCloseTo(viewport.width, 0)
      await page.getByRole('link', { name: 'Privacy Policy' }).click()
      await expect(menu).toHaveCount(0)
      await openMenu(page)
      await page.goBack()
      await expect(page).toHaveURL(/\/campaign-home$/)
      await expect(menu).toHaveCount(0)
      await openMenu(page)
      await page.getByRole('button', { name: 'Close menu' }).click()
      await expect(menu).toHaveCount(0)
    })

    test('the menu holds what the access level may do', async ({ page }) => {
      await expectMenu(page, await memberOf(page.request, 'op'), [HOME, ...LEAVING])
      await expectMenu(page, await memberOf(page.request, 'tm'), [HOME, ...MANAGING, ...LEAVING])
      await expectMenu(page, supervisor, [HOME, ...MANAGING, 'User management', ...LEAVING])
      test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
      await expectMenu(page, developer, [HOME, ...MANAGING, 'User management', 'Logs Audit', ...LEAVING])
      await shot(page, 'menu-developer')
    })

    test('an unknown address and a page of others lead home', async ({ page }) => {
      const operator = await memberOf(page.request, 'op')
      for (const path of ['/no-such-page', '/import', '/campaign-list', '/user-management', '/logs-audit', '/developer']) {
        await enter(page, operator, path)
        await expect(page).toHaveURL(/\/campaign-home$/)
      }
    })
  })
}
