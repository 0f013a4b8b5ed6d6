import { expect, test, type Locator, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard } from './support/campaign'
import { createHandScanner, keystrokesOf } from './support/handScanner'
import { supervisor } from './support/people'
import { holdRequest } from './support/parts'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'

const openMenu = (page: Page) => page.getByRole('button', { name: 'Open menu' }).click()

const HOME = 'Home'
const LEAVING = ['Logout', 'Privacy Policy', 'Terms of Service']
const MANAGING = ['Manage Campaigns']
/** Menu entries that the specification does not name; they stand below a heading of their own. */
const OWN = ['Offline', 'My account']

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
    [await getSharedMember(page.request, 'op'), [HOME, ...OWN, ...LEAVING]],
    [await getSharedMember(page.request, 'tm'), [HOME, ...MANAGING, 'Create New Campaign', 'Conflicts', ...OWN, ...LEAVING]],
    [supervisor, [HOME, ...MANAGING, 'User management', 'Create New Campaign', 'Conflicts', ...OWN, ...LEAVING]],
  ] as const) {
    await openAs(page, person, '/campaign-home')
    await expect(rail.locator('a, button')).toHaveText([...names])
  }
  await expect(rail.getByRole('separator')).toHaveCount(1)
  await expect(rail.getByRole('heading')).toHaveCount(0)
  await expect(rail.locator('[aria-current=page]')).toHaveText([HOME])
  await rail.getByRole('link', { name: 'Manage Campaigns' }).click()
  await expect(page).toHaveURL(/\/campaign-list$/)
  await expect(rail.locator('[aria-current=page]')).toHaveText(MANAGING)
  await page.mouse.wheel(0, 400)
  const [box, main] = await Promise.all([rail.boundingBox(), page.getByRole('main').boundingBox()])
  expect([box?.x, Math.round(box?.y ?? 0), Math.round(box?.width ?? 0)]).toEqual([0, 56, 92])
  expect(main?.x).toBeGreaterThanOrEqual(92)
  await openAs(page, await createMember(page.request, 'op'), '/yard') // whose session ends here
  await page.setViewportSize({ width: 1000, height: 900 })
  await expect(rail).toBeHidden()
  await page.setViewportSize({ width: 1024, height: 900 })
  await rail.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
})

test('content is up to 1,600 px wide, with a gutter of 24 px', async ({ page }) => {
  await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
  const search = page.getByRole('searchbox', { name: 'Search Campaign' })
  const heading = page.getByRole('heading', { level: 1 })
  await expect(search).toBeVisible()
  expect((await heading.boundingBox())?.x).toBe(92 + 24)
  await page.setViewportSize({ width: 2200, height: 900 })
  expect((await heading.boundingBox())?.width).toBe(1600 - 48)
})

test('the way to the page is in the header, and each part of it leads back', async ({ page }) => {
  const { id, name, vehicles: [vehicle] } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Trail of a campaign with a name that is too long for the header of a window', createRowsInYard('K', 1))
  await openAs(page, await getSharedMember(page.request, 'op'), `/vehicle/${vehicle?.id}`)
  const trail = page.getByRole('navigation', { name: 'You are here' })
  await expect(trail.getByRole('listitem')).toHaveText([HOME, name, 'Vehicles List', vehicle?.parking_space ?? ''])
  await expect(trail.locator('[aria-current=page]')).toHaveText(vehicle?.parking_space ?? '')
  const isCut = (crumb: Locator) => crumb.evaluate((element) => [element, ...element.children].some(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1))
  for (const width of [900, 1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const text of [...(width === 900 ? [] : ['Vehicles List']), vehicle?.parking_space ?? '']) expect([width, await isCut(trail.getByRole('listitem').filter({ hasText: new RegExp(`^${text}$`) }))]).toEqual([width, false])
    expect((await trail.getByRole('link', { name }).boundingBox())?.width).toBeGreaterThan(40)
    expect(await trail.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  }
  await trail.getByRole('link', { name: 'Vehicles List' }).click()
  await expect(page).toHaveURL(new RegExp(`/campaign/${id}/vehicles$`))
  await expect(trail.getByRole('listitem')).toHaveText([HOME, name, 'Vehicles List'])
  await trail.getByRole('link', { name: name }).click()
  await expect(page).toHaveURL(new RegExp(`/campaign/${id}$`))
  await page.goto('/yard/2')
  await expect(trail.getByRole('listitem')).toHaveText([HOME, 'Select Yard', 'Yard A'])
  await trail.getByRole('link', { name: HOME }).click()
  await expect(page).toHaveURL(/\/campaign-home$/)
  await expect(trail).toHaveCount(0)
})

test('the way to the page appears together with the name of the campaign, which therefore moves no part of it', async ({ page }) => {
  const { id, name } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Late name', createRowsInYard('K', 1))
  await openAs(page, await getSharedMember(page.request, 'op'), '/account')
  // The wait outlasts the test, so that only the name can end it.
  await page.evaluate(() => {
    const styles = new CSSStyleSheet()
    styles.replaceSync('nav[data-loading][data-loading] li:not(:first-child):not(:first-child) { animation-duration: 600s !important }')
    document.adoptedStyleSheets.push(styles)
  })
  const letGo = await holdRequest(page, `**/api/campaigns/${id}`)
  await page.evaluate((to) => history.pushState(null, '', to), `/campaign/${id}/vehicles`)
  const trail = page.getByRole('navigation', { name: 'You are here' })
  const later = trail.locator('li:not(:first-child)')
  await expect(later).toHaveCount(2)
  for (const entry of await later.all()) await expect(entry).toBeHidden()
  letGo()
  await expect(trail.getByRole('listitem')).toHaveText([HOME, name, 'Vehicles List'])
  for (const entry of await later.all()) await expect(entry).toBeVisible()
})

test('a VIN or a parking space is found from anywhere, and the arrow keys and Enter open the vehicle', async ({ page }) => {
  const { vehicles } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Found', createRowsInYard('K', 3))
  const model = vehicles[0]?.vin_number.split(' ')[0] ?? ''
  await openAs(page, await getSharedMember(page.request, 'op'), '/account')
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
  await expect(results).toContainText(/(Nenhum veículo|Nada) com "no such car" (nas|em \d+ de \d+) campanhas abertas\./)
  const letGo = await holdRequest(page, '**/api/vehicles/campaign/*?*', (route) => route.fulfill({ status: 503, json: { code: 'BUSY', message: 'busy' } }))
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

test('the campaign of the page is searched first, and a search of many campaigns says how many it covered and can be extended to all', async ({ page }) => {
  const campaigns = Array.from({ length: 30 }, (_, index) => ({ id: 9001 + index, name: `Open ${index + 1}`, status: 'Ongoing', total_vehicles: 1, total_inspected: 0 }))
  const { id, name, vehicles } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Old', createRowsInYard('K', 9))
  await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${id}`)
  await expect(find(page)).toBeVisible()
  await page.route('**/api/campaigns?*', (route) => route.fulfill({ json: { campaigns, meta: { page_index: 0, total_count: 30, per_page: 200, yard_name: null } } }))
  const asked: number[] = []
  await page.route('**/api/vehicles/campaign/9*?*', (route) => {
    asked.push(Number(new URL(route.request().url()).pathname.split('/').at(-1)))
    return route.fulfill({ json: { vehicles: [], meta: { page_index: 0, total_count: 0, per_page: 8, campaign_name: '' } } })
  })
  const results = page.getByRole('search', { name: 'Find a VIN or parking space' })
  await find(page).fill('k4')
  await expect(results.getByRole('option')).toHaveText([new RegExp(`^K-4.*${name}`)])
  await expect(results).toContainText('1 vehicle found')
  await expect(results).toContainText('23 de 30 campanhas abertas buscadas.')
  await results.getByRole('button', { name: 'Search all' }).click()
  await expect(find(page)).toBeFocused()
  await expect(results.getByRole('button', { name: 'Search all' })).toHaveCount(0)
  await expect.poll(() => [new Set(asked).size, asked.length]).toEqual([30, 53])
  await find(page).fill(vehicles[0]?.vin_number.split(' ')[0] ?? '')
  await expect(results).toContainText('Primeiros 8, digite mais')
  await find(page).fill('no such car')
  await expect(results).toContainText('Nada com "no such car" em 23 de 30 campanhas abertas.')
  await results.getByRole('button', { name: 'Search all' }).click()
  await expect(results).toContainText('Nenhum veículo com "no such car" nas campanhas abertas.')
})

test('the search of a page comes before the search of the header', async ({ page }) => {
  await openAs(page, await getSharedMember(page.request, 'op'), '/yard')
  await expect(find(page)).toBeVisible()
  await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toBeVisible()
  await press(page, '/')
  await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toBeFocused()
})

test('keys lead home, to Manage Campaigns and to the conflicts, and ? lists them', async ({ page }) => {
  await openAs(page, supervisor, '/account')
  await expect(find(page)).toBeVisible()
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await press(page, '?')
  for (const words of ['Go to Home', 'Go to Manage Campaigns', 'Go to Conflicts', 'Search']) await expect(list).toContainText(words)
  await expect(list).not.toContainText('This page')
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
  const scan = await createHandScanner(page)
  await scan(...keystrokesOf('gm?gc'))
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
  const parts = /assets\/(desktop|MainMenu|PrintFooter)-[^/]*\.js/
  const aborted = new Set<string>()
  let loads = 0
  page.on('request', (request) => void (loads += Number(request.isNavigationRequest())))
  await page.route(parts, (route) => {
    aborted.add(`${parts.exec(route.request().url())?.[1]} of load ${loads}`)
    return route.abort()
  })
  await openAs(page, await getSharedMember(page.request, 'op'), '/yard')
  // Missing code makes the app reload the page once. A menu opened before that would be closed by the reload.
  await page.waitForFunction(() => performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'reload'))
  await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible()
  await expect.poll(() => [...aborted]).toContain(`desktop of load ${loads}`)
  await expect(page.getByRole('navigation', { name: 'Sections' })).toHaveCount(0)
  await page.unroute(parts)
  await openMenu(page)
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
})

test('an operator has no keys for pages of others', async ({ page }) => {
  await openAs(page, await getSharedMember(page.request, 'op'), '/account')
  await expect(find(page)).toBeVisible()
  await press(page, 'g', 'm')
  await page.waitForTimeout(300)
  await expect(page).toHaveURL(/\/account$/)
  await press(page, '?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).not.toContainText('Manage')
})
