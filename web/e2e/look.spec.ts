import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, fetchVehicle } from './support/campaign'
import { waitForScreen, chooseRowAction, listEntries } from './support/parts'
import { supervisor } from './support/people'
import { SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '')

const TOAST_MS = 4000

/** Presses a key at the speed of a person, since faster keys count as those of a hardware scanner. */
const press = async (page: Page, key: string): Promise<void> => {
  await page.waitForTimeout(80)
  await page.keyboard.press(key)
}

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let n = 0; n < 60 && !name.test(await focused(page)); n++) await page.keyboard.press('Tab')
  expect(await focused(page)).toMatch(name)
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a toast stays for four seconds and goes when it is tapped', async ({ page }) => {
      const gone = [await createMember(page.request, 'op'), await createMember(page.request, 'op')]
      await page.clock.install()
      await openAs(page, supervisor, '/user-management?panel=active')
      const toast = page.locator('[aria-live=polite]').getByRole('button', { name: 'Usuário deletado com sucesso!' })
      for (const [index, { hmc }] of gone.entries()) {
        await page.getByRole('searchbox').fill(hmc)
        await chooseRowAction(page, hmc, `Delete user ${hmc}`)
        const askedAt = await page.evaluate(() => Date.now() + 10_000) // a busy machine takes a while to pause the clock
        await page.clock.pauseAt(askedAt)
        await page.getByRole('button', { name: 'YES', exact: true }).click()
        await expect(async () => { // advances the page's clock in small steps until the response has arrived
          await page.clock.runFor(50)
          await expect(toast).toBeVisible({ timeout: 200 })
        }).toPass()
        const since = await page.evaluate(() => Date.now()) - askedAt
        if (index === 0) await toast.click()
        else {
          await page.clock.runFor(TOAST_MS - since - 10)
          await expect(toast).toBeVisible()
          await page.clock.runFor(since + 10)
        }
        await expect(toast).toHaveCount(0)
        await page.clock.resume()
      }
    })

    test('the whole daily work is done with the keyboard', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const { id, name, vehicles: [first] } = await importUniqueCampaign(page.request, headers, 'Keys', createRowsInYard('K', 2))
      await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
      await waitForScreen(page, 'Select Campaign')
      await expect(page.getByRole('searchbox')).toBeVisible()
      await page.keyboard.press('/')
      await expect(page.getByRole('searchbox')).toBeFocused()
      await page.keyboard.type(name)
      await expect(listEntries(page, name)).toBeVisible()
      await expect(page.locator('tbody tr, main ul > li').filter({ has: page.getByRole('progressbar') })).toHaveCount(1)
      await tabTo(page, new RegExp(`^(Campaign in progress)?${name}`))
      await press(page, 'Enter')
      await waitForScreen(page, 'Select Yard')
      await expect(page.getByRole('link', { name: /^Yard K/ }).first()).toBeVisible()
      await tabTo(page, /^Yard K/)
      await press(page, 'Enter')
      await waitForScreen(page, 'Select Campaign')
      await expect(page.getByRole('main').getByRole('link', { name }).first()).toBeVisible()
      await tabTo(page, new RegExp(`^${name}`))
      await press(page, 'Enter')
      await waitForScreen(page, name)
      await expect(page.getByRole('button', { name: 'Start campaign' })).toBeVisible()
      await tabTo(page, /^Start campaign/)
      await press(page, 'Enter')
      await expect(page).toHaveURL(new RegExp(`/vehicle/${first?.id}`))
      await waitForScreen(page, 'Vehicle Inspection')
      await expect(page.getByRole('button', { name: 'Manual' })).toBeVisible()
      await tabTo(page, /^Manual/)
      await press(page, 'Enter')
      await expect(page.getByLabel('Vehicle identifier')).toBeFocused()
      await page.keyboard.type(first?.vin_number ?? '', { delay: 60 })
      await tabTo(page, /^ng$/)
      const ring = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)
      expect(ring).toBe('solid')
      await press(page, 'Space')
      await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeEnabled()
      await tabTo(page, /^Save and Exit/)
      const bar = await page.getByRole('button', { name: 'Save and Exit' }).boundingBox()
      expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(viewport.height)
      await press(page, 'Enter')
      await expect(page).toHaveURL(new RegExp(`/campaign/${id}`))
      await waitForScreen(page, name)
      await expect.poll(async () => (await fetchVehicle(page.request, headers, first?.id ?? 0)).status).toBe('ng') // the screen may leave before the server has answered
      await tabTo(page, /^Open menu/)
      await press(page, 'Enter')
      await expect(page.getByRole('dialog')).toBeVisible()
      await tabTo(page, /^Logout/)
      for (let n = 0; n < 30; n++) await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null)).toBe(true)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })

    test('who wants less motion gets none', async ({ page }) => {
      const lasting = () => page.evaluate(() => document.getAnimations().map((animation) => Number(animation.effect?.getComputedTiming().duration ?? 0)).filter((duration) => duration > 1))
      for (const [reducedMotion, moves] of [['no-preference', true], ['reduce', false]] as const) {
        await page.emulateMedia({ reducedMotion })
        await page.route('**/api/campaigns?*', () => {})
        await openAs(page, supervisor, '/campaign-home')
        await expect(page.getByRole('status', { name: 'Loading...' }).last()).toBeVisible()
        expect((await lasting()).length > 0, reducedMotion).toBe(moves)
        if (moves) {
          await page.evaluate(() => { document.documentElement.dataset.contrast = 'sun' })
          const placeholder = page.getByRole('status', { name: 'Loading...' }).last().locator('div').last()
          const readLook = () => placeholder.evaluate((row) => [getComputedStyle(row).border.slice(0, 9), getComputedStyle(row).backgroundImage, getComputedStyle(row).animationName])
          await expect.poll(readLook, 'placeholders are outlines in the sun').toEqual(['2px solid', 'none', 'none']) // the page may still replace its first placeholder
        }
        await page.getByRole('button', { name: 'Open menu' }).click()
        await expect(page.getByRole('dialog')).toBeVisible()
        if (!moves) expect(await lasting()).toEqual([])
      }
      await takeScreenshot(page, 'home-loading')
    })

    test('theme, Sun and language are chosen in the menu and kept on the device', async ({ page }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
      const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
      const light = await background()
      await page.getByRole('button', { name: 'Open menu' }).click()
      await page.getByLabel('Theme').selectOption('Dark')
      await expect.poll(background).not.toBe(light)
      await page.getByRole('switch', { name: 'High contrast (sun)' }).check()
      await expect.poll(background).toBe('rgb(0, 0, 0)')
      await page.getByLabel('Language').selectOption('Português (Brasil)')
      await expect(page.getByRole('link', { name: 'Início', exact: true })).toBeVisible()
      await page.reload()
      await expect(page.getByRole('heading', { level: 1, name: 'Selecionar campanha' })).toBeVisible()
      expect(await background()).toBe('rgb(0, 0, 0)')
      await expect(page.locator('html')).toHaveAttribute('lang', 'pt-BR')
      await takeScreenshot(page, 'home-portuguese')
      await page.getByRole('button', { name: 'Abrir menu' }).click()
      await page.getByLabel('Idioma').selectOption('English')
      await expect(page.getByRole('link', { name: 'Home', exact: true })).toBeVisible()
      await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    })
  })
}
