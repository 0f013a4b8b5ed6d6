import { expect, test, type Page } from './support/test'
import { campaignOf, rowsIn } from './support/campaign'
import { colourOf, nameOf } from './support/colours'
import { developer, supervisor, type Person } from './support/people'
import { held, identify } from './support/parts'
import { PHONE, SIZES, shot } from './support/screenshots'
import { enter, headersOf, member, memberOf, sessionOf } from './support/session'

const back = (page: Page) => page.getByRole('button', { name: 'Back', exact: true })
const openMenu = (page: Page) => page.getByRole('button', { name: 'Open menu' }).click()
const entries = (page: Page) => page.getByRole('navigation', { name: 'Menu' }).locator('a, button')

const HOME = 'Home'
const LEAVING = ['Logout', 'Privacy Policy', 'Terms of Service']
const MANAGING = ['Manage Campaigns']
/** Menu entries that the specification does not name; they stand below a heading of their own. */
const OWN = ['Offline', 'My account']

async function expectMenu(page: Page, person: Person, names: string[]): Promise<void> {
  await enter(page, person, '/campaign-home')
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
      await enter(page, await memberOf(page.request, 'op'), '/yard')
      const header = page.getByRole('banner')
      expect(nameOf(await colourOf(header, 'backgroundColor'))).toBe('teal')
      const logo = header.getByRole('link', { name: 'Patio home page' })
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

    test('the header states whether everything is sent, and leads to the pending saves', async ({ page }) => {
      const operator = await memberOf(page.request, 'op')
      await enter(page, operator, '/yard')
      const header = page.getByRole('banner')
      const chip = header.locator('a[href="/outbox"]')
      await expect(chip).toHaveAccessibleName('Synced')
      await page.context().setOffline(true)
      await page.evaluate(() => window.dispatchEvent(new Event('offline')))
      await expect(chip).toHaveAccessibleName(/^No signal since \d\d:\d\d$/)
      await expect(chip).toHaveText(/^No signal since \d\d:\d\d\s*$/)
      await page.context().setOffline(false)
      await chip.click()
      await expect(page).toHaveURL(/\/outbox$/)
      await expect(chip).toHaveAccessibleName('Synced')
    })

    test('one tap in the header changes between light, dark and sun, and the choice is kept', async ({ page }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await enter(page, await memberOf(page.request, 'op'), '/yard')
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
      const { vehicles } = await campaignOf(page.request, await headersOf(page.request, supervisor), 'Hatched', rowsIn('K', 1))
      await enter(page, await memberOf(page.request, 'op'), `/vehicle/${vehicles[0]?.id}`)
      const pattern = (name: string) => page.getByRole('button', { name, exact: true }).evaluate((button) => getComputedStyle(button).backgroundImage)
      await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeDisabled()
      expect(await pattern('Save and Exit')).toBe('none')
      await page.evaluate(() => { document.documentElement.dataset.contrast = 'sun' })
      expect(await pattern('Save and Exit')).toContain('repeating-linear-gradient')
      expect(await pattern('Cancel')).toBe('none')
    })

    test('a link leads past the header to the heading, for who comes with the keyboard', async ({ page }) => {
      await enter(page, await memberOf(page.request, 'op'), '/yard')
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
      await enter(page, supervisor, '/yard/2')
      await expect(page.getByRole('heading', { level: 1, name: 'Select Campaign' })).toBeVisible()
      await expect(page).toHaveTitle('Yard A · Patio')
      await page.goto('/import')
      await expect(page.getByRole('heading', { level: 1, name: 'Select Campaign' })).toBeVisible()
      await expect(page).toHaveTitle('Create New Campaign · Patio')
    })

    test('a toast leaves the buttons below it free', async ({ page }) => {
      const { id, vehicles } = await campaignOf(page.request, await headersOf(page.request, supervisor), 'Toast', rowsIn('K', 3))
      await enter(page, await memberOf(page.request, 'op'), `/vehicle/${vehicles[0]?.id}`)
      await identify(page, vehicles[0]?.vin_number ?? '')
      await page.getByRole('radio', { name: 'ok', exact: true }).or(page.getByRole('button', { name: 'ok', exact: true })).first().click()
      const toasts = page.locator('[aria-live=polite] > button')
      await page.getByRole('button', { name: 'Save and Exit' }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${id}`))
      await expect(toasts.first()).toBeVisible()
      const go = page.getByRole('button', { name: 'Continue campaign' })
      await expect(go).toBeVisible()
      const [toastBox, header, button] = await Promise.all([toasts.first().boundingBox(), page.getByRole('banner').boundingBox(), go.boundingBox()])
      const bottom = (box: typeof button) => (box?.y ?? 0) + (box?.height ?? 0)
      expect(bottom(header)).toBeLessThanOrEqual(toastBox?.y ?? 0)
      expect(bottom(toastBox) <= (button?.y ?? 0) || (toastBox?.y ?? 0) >= bottom(button)).toBe(true)
    })

    test('a toast stands above the bottom bar of a page, whatever its height', async ({ page }) => {
      await page.route('**/api/campaigns?*', (route) => route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'failed' } }))
      await enter(page, await memberOf(page.request, 'op'), '/campaign-home')
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

test.describe('at the desk', () => {
  test.use({ viewport: { width: 1440, height: 900 } })

  /** Presses a key as slowly as a person, since faster keys count as those of a hardware scanner. */
  const press = async (page: Page, ...keys: string[]): Promise<void> => {
    for (const key of keys) {
      await page.waitForTimeout(150)
      await page.keyboard.press(key)
    }
  }
  const find = (page: Page) => page.getByRole('combobox', { name: 'Find a VIN or parking space' })

  test('a rail at the left edge has the entries of the menu, with the current page marked', async ({ page }) => {
    const rail = page.getByRole('navigation', { name: 'Sections' })
    for (const [person, names] of [
      [await memberOf(page.request, 'op'), [HOME, ...LEAVING, ...OWN]],
      [await memberOf(page.request, 'tm'), [HOME, ...MANAGING, ...LEAVING, 'New campaign', 'Conflicts', ...OWN]],
      [supervisor, [HOME, ...MANAGING, 'User management', ...LEAVING, 'New campaign', 'Conflicts', ...OWN]],
    ] as const) {
      await enter(page, person, '/campaign-home')
      await expect(rail.locator('a, button')).toHaveText([...names])
    }
    await expect(rail.getByRole('heading')).toHaveText(['More'])
    await expect(rail.locator('[aria-current=page]')).toHaveText([HOME])
    await rail.getByRole('link', { name: 'Manage Campaigns' }).click()
    await expect(page).toHaveURL(/\/campaign-list$/)
    await expect(rail.locator('[aria-current=page]')).toHaveText(MANAGING)
    await page.mouse.wheel(0, 400)
    const [box, main] = await Promise.all([rail.boundingBox(), page.getByRole('main').boundingBox()])
    expect([box?.x, box?.y, Math.round(box?.width ?? 0)]).toEqual([0, 56, 92])
    expect(main?.x).toBeGreaterThanOrEqual(92)
    await enter(page, await member(page.request, 'op'), '/yard') // whose session ends here
    await page.setViewportSize({ width: 1000, height: 900 })
    await expect(rail).toBeHidden()
    await page.setViewportSize({ width: 1024, height: 900 })
    await rail.getByRole('button', { name: 'Logout' }).click()
    await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
  })

  test('content is up to 1,600 px wide, with a gutter of 24 px', async ({ page }) => {
    await enter(page, await memberOf(page.request, 'op'), '/campaign-home')
    const search = page.getByRole('searchbox', { name: 'Search Campaign' })
    const heading = page.getByRole('heading', { level: 1 })
    await expect(search).toBeVisible()
    expect((await heading.boundingBox())?.x).toBe(92 + 24)
    await page.setViewportSize({ width: 2200, height: 900 })
    expect((await heading.boundingBox())?.width).toBe(1600 - 48)
  })

  test('the way to the page is in the header, and each part of it leads back', async ({ page }) => {
    const { id, name, vehicles: [vehicle] } = await campaignOf(page.request, await headersOf(page.request, supervisor), 'Trail', rowsIn('K', 1))
    await enter(page, await memberOf(page.request, 'op'), `/vehicle/${vehicle?.id}`)
    const trail = page.getByRole('navigation', { name: 'You are here' })
    await expect(trail.getByRole('listitem')).toHaveText([HOME, `Campaign ${name}`, 'Vehicles List', vehicle?.vin_number ?? ''])
    await expect(trail.locator('[aria-current=page]')).toHaveText(vehicle?.vin_number ?? '')
    await trail.getByRole('link', { name: 'Vehicles List' }).click()
    await expect(page).toHaveURL(new RegExp(`/campaign/${id}/vehicles$`))
    await expect(trail.getByRole('listitem')).toHaveText([HOME, `Campaign ${name}`, 'Vehicles List'])
    await trail.getByRole('link', { name: `Campaign ${name}` }).click()
    await expect(page).toHaveURL(new RegExp(`/campaign/${id}$`))
    await page.goto('/yard/2')
    await expect(trail.getByRole('listitem')).toHaveText([HOME, 'Select Yard', 'Yard A'])
    await trail.getByRole('link', { name: HOME }).click()
    await expect(page).toHaveURL(/\/campaign-home$/)
    await expect(trail).toHaveCount(0)
  })

  test('a VIN or a parking space is found from anywhere, and the arrow keys and Enter open the vehicle', async ({ page }) => {
    const { vehicles } = await campaignOf(page.request, await headersOf(page.request, supervisor), 'Found', rowsIn('K', 3))
    const model = vehicles[0]?.vin_number.split(' ')[0] ?? ''
    await enter(page, await memberOf(page.request, 'op'), '/account')
    await expect(find(page)).toBeVisible()
    await press(page, '/')
    await expect(find(page)).toBeFocused()
    const options = page.getByRole('listbox', { name: 'Vehicles found' }).getByRole('option')
    await page.keyboard.type(model.toLowerCase())
    await expect(options).toHaveCount(3)
    await expect(options.first()).toContainText('K-1')
    await expect(options.first()).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('ArrowDown')
    await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
    await expect(find(page)).toHaveAttribute('aria-activedescendant', (await options.nth(1).getAttribute('id')) ?? '')
    const opened = await options.nth(1).getAttribute('href')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`${opened}$`))
    await expect(options).toHaveCount(0)
    await expect(find(page)).toHaveValue('')

    const results = page.getByRole('search', { name: 'Find a VIN or parking space' })
    await find(page).fill('k')
    await expect(results).toContainText('Digite pelo menos 2 caracteres.')
    await find(page).fill('no such car')
    await expect(results).toContainText('Nenhum veículo com "no such car" nas campanhas abertas.')
    const letGo = await held(page, '**/api/vehicles/campaign/*?*', (route) => route.fulfill({ status: 503, json: { code: 'BUSY', message: 'busy' } }))
    await find(page).fill(`${model} 000003`)
    await expect(results).toContainText('Buscando nas campanhas abertas...')
    letGo()
    await expect(results.getByRole('alert')).toContainText('Não foi possível buscar.')
    await page.unroute('**/api/vehicles/campaign/*?*')
    await results.getByRole('button', { name: 'Try again' }).click()
    await options.first().click()
    await expect(page).toHaveURL(new RegExp(`/vehicle/${vehicles[2]?.id}$`))
    await find(page).fill('k3')
    await expect(options.first()).toContainText('K-3')
    await page.keyboard.press('Escape')
    await expect(options).toHaveCount(0)
  })

  test('a search asks at most twelve campaigns, and says when there are more', async ({ page }) => {
    const campaigns = Array.from({ length: 12 }, (_, index) => ({ id: index + 1, name: `Open ${index + 1}`, status: 'Ongoing', total_vehicles: 1, total_inspected: 0 }))
    await enter(page, await memberOf(page.request, 'op'), '/account')
    await page.route('**/api/campaigns?*', (route) => route.fulfill({ json: { campaigns, meta: { page_index: 0, total_count: 30, per_page: 12, yard_name: null } } }))
    const asked: string[] = []
    await page.route('**/api/vehicles/campaign/*?*', (route) => {
      asked.push(route.request().url())
      return route.fulfill({ json: { vehicles: [], meta: { page_index: 0, total_count: 0, per_page: 8, campaign_name: '' } } })
    })
    await find(page).fill('HB20')
    await expect(page.getByText('Busca nas 12 campanhas abertas mais novas, de 30.')).toBeVisible()
    expect(asked).toHaveLength(12)
  })

  test('the search of a page comes before the search of the header', async ({ page }) => {
    await enter(page, await memberOf(page.request, 'op'), '/yard')
    await expect(find(page)).toBeVisible()
    await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toBeVisible()
    await press(page, '/')
    await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toBeFocused()
  })

  test('keys lead home, to Manage Campaigns and to the conflicts, and ? lists them', async ({ page }) => {
    await enter(page, supervisor, '/account')
    await expect(find(page)).toBeVisible()
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await press(page, '?')
    for (const words of ['Go to Home', 'Go to Manage Campaigns', 'Go to Conflicts', 'Search']) await expect(list).toContainText(words)
    await press(page, 'Escape')
    await expect(list).toHaveCount(0)
    for (const [key, path] of [['m', '/campaign-list'], ['c', '/conflicts'], ['h', '/campaign-home']] as const) {
      await press(page, 'g', key)
      await expect(page).toHaveURL(new RegExp(`${path}$`))
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    }
    const still = async () => {
      await page.waitForTimeout(400)
      expect(new URL(page.url()).pathname).toBe('/campaign-home')
      await expect(list).toHaveCount(0)
    }
    await page.keyboard.type('gm?gc', { delay: 20 }) // as fast as a hardware scanner
    await still()
    await page.getByRole('searchbox').focus()
    await press(page, 'g', 'm', '?')
    await still()
    await page.getByRole('searchbox').clear()
    await page.getByRole('heading', { level: 1 }).focus()
    await openMenu(page)
    await page.getByRole('switch', { name: 'Keyboard shortcuts' }).uncheck()
    await page.getByRole('button', { name: 'Close menu' }).click()
    await press(page, '?', 'g', 'm', '/')
    await still()
    await expect(page.getByRole('searchbox')).not.toBeFocused()
    await page.reload()
    await openMenu(page)
    await expect(page.getByRole('switch', { name: 'Keyboard shortcuts' })).not.toBeChecked()
  })

  test('a page works while the rail and the menu cannot be loaded, and the menu loads when it is opened', async ({ page }) => {
    const parts = /assets\/(desk|Menu|PrintFooter)-[^/]*\.js/
    await page.route(parts, (route) => route.abort())
    await enter(page, await memberOf(page.request, 'op'), '/yard')
    await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Sections' })).toHaveCount(0)
    await page.unroute(parts)
    await openMenu(page)
    await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
  })

  test('an operator has no keys for pages of others', async ({ page }) => {
    await enter(page, await memberOf(page.request, 'op'), '/account')
    await expect(find(page)).toBeVisible()
    await press(page, 'g', 'm')
    await page.waitForTimeout(300)
    await expect(page).toHaveURL(/\/account$/)
    await press(page, '?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).not.toContainText('Manage')
  })
})

test.describe('on a phone held sideways', () => {
  test.use({ viewport: { width: 844, height: 390 } })

  test('header and title are low, and the card is a chip', async ({ page }) => {
    await enter(page, await memberOf(page.request, 'op'), '/campaign-home')
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toBeVisible()
    expect((await page.getByRole('banner').boundingBox())?.height).toBe(48)
    await expect(page.getByRole('banner').getByRole('region', { name: 'Signed in as' })).toBeVisible()
    const box = await heading.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(90)
  })
})

test('on a phone the card stands below the header of home only, and is a chip in the header elsewhere', async ({ page }) => {
  const operator = await memberOf(page.request, 'op')
  await enter(page, operator, '/campaign-home')
  const card = page.getByRole('region', { name: 'Signed in as' })
  const chip = page.getByRole('banner').getByRole('region', { name: 'Signed in as' })
  await expect(card).toBeVisible()
  await expect(chip).toHaveCount(0)
  await page.goto('/yard')
  await expect(chip).toContainText(`HMC ${operator.hmc}`)
  await expect(chip).toContainText('Operator')
  await expect(chip.locator('svg')).toBeVisible()
  await expect(card).toHaveCount(1)
})
