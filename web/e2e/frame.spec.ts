import { expect, test, type Locator, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard } from './support/campaign'
import { colourOf, colourNameOf } from './support/colours'
import { developer, supervisor, type Person } from './support/people'
import { typeIdentifier } from './support/parts'
import { PHONE, SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember, getSession } from './support/session'

const back = (page: Page) => page.getByRole('button', { name: 'Back', exact: true })
const openMenu = (page: Page) => page.getByRole('button', { name: 'Open menu' }).click()
const entries = (page: Page) => page.getByRole('navigation', { name: 'Menu' }).locator('a, button')

const HOME = 'Home'
const LEAVING = ['Logout', 'Privacy Policy', 'Terms of Service']
const MANAGING = ['Manage Campaigns']
/** Menu entries that the specification does not name; they stand below a heading of their own. */
const OWN = ['Offline', 'My account']

async function expectMenu(page: Page, person: Person, names: string[]): Promise<void> {
  await openAs(page, person, '/campaign-home')
  await openMenu(page)
  await expect(entries(page)).toHaveText(names)
  const menu = page.getByRole('dialog', { name: 'Menu' })
  const added = names.includes('Manage Campaigns') ? ['Create New Campaign', 'Conflicts', ...OWN] : OWN
  await expect(menu.getByRole('link')).toHaveText([...names.filter((name) => name !== 'Logout'), ...added])
  await expect(menu.getByRole('button')).toHaveText(['', 'Logout']) // the first one closes the menu
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a teal header with a white logo and the product leads home', async ({ page }) => {
      await openAs(page, await getSharedMember(page.request, 'op'), '/yard')
      const header = page.getByRole('banner')
      expect(colourNameOf(await colourOf(header, 'backgroundColor'))).toBe('teal')
      const logo = header.getByRole('link', { name: 'Patio home page' })
      await expect(logo).toHaveText('Patio')
      expect((await colourOf(logo.locator('svg'), 'color')).lightness).toBe(1)
      await expect(page).toHaveTitle('Select Yard · Patio')
      await logo.click()
      await expect(page).toHaveURL(/\/campaign-home$/)
      await expect(page).toHaveTitle('Select Campaign · Patio')
    })

    test('every page but home has a way back, to where one came from', async ({ page }) => {
      const { id, vehicles } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Way back', createRowsInYard('K', 1))
      await openAs(page, supervisor, '/campaign-home')
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
      const leader = await getSharedMember(page.request, 'tm')
      await openAs(page, leader, '/campaign-home')
      const card = page.getByRole('region', { name: 'Signed in as' })
      await expect(card).toContainText(`HMC ${leader.hmc}`)
      await expect(card).toContainText('Team Leader')
      await expect(card.locator('svg')).toBeVisible()
      const { id, hmc } = await getSession(page.request, leader)
      await page.evaluate((user) => sessionStorage.setItem('user', user), JSON.stringify({ id, hmc, user_type: 'auditor' }))
      await page.reload()
      await expect(card).toContainText('auditor')
    })

    test('the menu slides in at the right, over two thirds of a phone and a quarter of a desk', async ({ page }) => {
      await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
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
      await expectMenu(page, await getSharedMember(page.request, 'op'), [HOME, ...LEAVING])
      await expectMenu(page, await getSharedMember(page.request, 'tm'), [HOME, ...MANAGING, ...LEAVING])
      await expectMenu(page, supervisor, [HOME, ...MANAGING, 'User management', ...LEAVING])
      test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
      await expectMenu(page, developer, [HOME, ...MANAGING, 'User management', 'Logs Audit', ...LEAVING])
      await takeScreenshot(page, 'menu-developer')
    })

    test('an unknown address and a page of others lead home', async ({ page }) => {
      const operator = await getSharedMember(page.request, 'op')
      for (const path of ['/no-such-page', '/import', '/campaign-list', '/user-management', '/logs-audit', '/developer']) {
        await openAs(page, operator, path)
        await expect(page).toHaveURL(/\/campaign-home$/)
      }
    })

    test('the header states whether everything is sent, and leads to the pending saves', async ({ page }) => {
      const operator = await getSharedMember(page.request, 'op')
      await openAs(page, operator, '/yard')
      const header = page.getByRole('banner')
      const chip = header.locator('a[href="/outbox"]')
      await expect(chip).toHaveAccessibleName('Synced')
      await page.context().setOffline(true)
      await page.evaluate(() => window.dispatchEvent(new Event('offline')))
      const words = viewport.width < 600 ? /^Offline \d\d:\d\d\s*$/ : /^Offline since \d\d:\d\d\s*$/
      await expect(chip).toHaveAccessibleName(words)
      await expect(chip).toHaveText(words)
      await page.context().setOffline(false)
      await chip.click()
      await expect(page).toHaveURL(/\/outbox$/)
      await expect(chip).toHaveAccessibleName('Synced')
    })

    test('one tap in the header changes between light, dark and sun, and the choice is kept', async ({ page }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await openAs(page, await getSharedMember(page.request, 'op'), '/yard')
      const looks = page.getByRole('banner').getByRole('button', { name: /Switch to/ })
      const root = page.locator('html')
      for (const [word, next, theme, contrast] of [['Light', 'Dark', null, null], ['Dark', 'Sun', 'dark', null], ['Sun', 'Light', 'light', 'sun'], ['Light', 'Dark', 'light', null]] as const) {
        await expect(looks).toHaveText(word)
        await expect(looks).toHaveAccessibleName(`${word}. Switch to ${next}`)
        expect([await root.getAttribute('data-theme'), await root.getAttribute('data-contrast')]).toEqual([theme, contrast])
        await looks.click()
      }
      await page.reload()
      await expect(looks).toHaveText('Dark')
    })

    test('in the sun, a control that cannot be used is hatched', async ({ page }) => {
      const { vehicles } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Hatched', createRowsInYard('K', 1))
      await openAs(page, await getSharedMember(page.request, 'op'), `/vehicle/${vehicles[0]?.id}`)
      const pattern = (name: string) => page.getByRole('button', { name, exact: true }).evaluate((button) => getComputedStyle(button).backgroundImage)
      await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeDisabled()
      expect(await pattern('Save and Exit')).toBe('none')
      await page.evaluate(() => { document.documentElement.dataset.contrast = 'sun' })
      expect(await pattern('Save and Exit')).toContain('repeating-linear-gradient')
      expect(await pattern('Cancel')).toBe('none')
      const ground = (part: Locator) => part.evaluate((element) => getComputedStyle(element).backgroundColor)
      expect(await ground(page.getByRole('button', { name: 'Save and Exit' }).locator('span').first()), 'the words have a plain ground').toBe('rgb(255, 255, 255)')
      expect(await ground(page.getByRole('button', { name: 'Cancel' }).locator('span').first())).toBe('rgba(0, 0, 0, 0)')
    })

    test('a link leads past the header to the heading, for who comes with the keyboard', async ({ page }) => {
      await openAs(page, await getSharedMember(page.request, 'op'), '/yard')
      const heading = page.getByRole('heading', { level: 1, name: 'Select Yard' })
      await expect(heading).toBeVisible()
      const skip = page.getByRole('link', { name: 'Skip to content' })
      await expect(skip).not.toBeInViewport()
      await expect(page.getByRole('banner').locator('a, button').first()).toHaveText('Skip to content')
      await skip.focus()
      await expect(skip).toBeInViewport()
      await page.keyboard.press('Enter')
      await expect(heading).toBeFocused()
      await expect(skip).not.toBeInViewport()
      await expect(page).toHaveURL(/\/yard$/)
    })

    test('the tab names the yard and the import, whose headings are those of home', async ({ page }) => {
      await openAs(page, supervisor, '/yard/2')
      await expect(page.getByRole('heading', { level: 1, name: 'Select Campaign' })).toBeVisible()
      await expect(page).toHaveTitle('Yard A · Patio')
      await page.goto('/import')
      await expect(page.getByRole('heading', { level: 1, name: 'Select Campaign' })).toBeVisible()
      await expect(page).toHaveTitle('Create New Campaign · Patio')
    })

    test('a toast leaves the buttons below it free', async ({ page }) => {
      const { id, vehicles } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Toast', createRowsInYard('K', 3))
      await openAs(page, await getSharedMember(page.request, 'op'), `/vehicle/${vehicles[0]?.id}`)
      await typeIdentifier(page, vehicles[0]?.vin_number ?? '')
      await page.getByRole('radio', { name: 'ok', exact: true }).or(page.getByRole('button', { name: 'ok', exact: true })).first().click()
      const toasts = page.locator('[aria-live=polite] > button')
      await page.getByRole('button', { name: 'Save and Exit' }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${id}`))
      await expect(toasts.first()).toBeVisible()
      const toastBox = await toasts.first().boundingBox() // before the toast ends
      const go = page.getByRole('button', { name: 'Continue campaign' })
      await expect(go).toBeVisible()
      const [header, button] = await Promise.all([page.getByRole('banner').boundingBox(), go.boundingBox()])
      const bottom = (box: typeof button) => (box?.y ?? 0) + (box?.height ?? 0)
      expect(bottom(header)).toBeLessThanOrEqual(toastBox?.y ?? 0)
      expect(bottom(toastBox) <= (button?.y ?? 0) || (toastBox?.y ?? 0) >= bottom(button)).toBe(true)
      if (viewport.width >= 900) expect([viewport.width - (toastBox?.x ?? 0) - (toastBox?.width ?? 0), viewport.height - bottom(toastBox)]).toEqual([24, 8])
    })

    test('a toast stands above the bottom bar of a page, whatever its height', async ({ page }) => {
      await page.route('**/api/campaigns?*', (route) => route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'failed' } }))
      await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
      const shown = page.locator('[aria-live=polite]').getByRole('button', { name: 'Erro ao carregar campanhas' })
      await expect(shown).toBeVisible()
      for (const height of [72, 240]) {
        await page.evaluate((tall) => {
          const bar = document.querySelector<HTMLElement>('[data-bottom-bar]') ?? document.createElement('div')
          bar.dataset.bottomBar = ''
          Object.assign(bar.style, { position: 'sticky', bottom: '0', height: `${tall}px` })
          document.querySelector('main')?.append(bar)
        }, height)
        await expect.poll(async () => {
          const [toastBox, bar] = await Promise.all([shown.boundingBox(), page.locator('[data-bottom-bar]').boundingBox()])
          return (bar?.y ?? 0) - (toastBox?.y ?? 0) - (toastBox?.height ?? 0)
        }).toBe(8)
      }
    })
  })
}
