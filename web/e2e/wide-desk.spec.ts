import { expect, test, type Locator, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle } from './support/campaign'
import { getOverflowWidth, listEntries } from './support/parts'
import { supervisor } from './support/people'
import { everyScreen, openScreen } from './support/screens'
import { createMember, openAs, getHeaders, getSession } from './support/session'

const LISTS = ['home', 'vehicles', 'campaign', 'manage-list', 'manage-csv', 'users-active', 'conflicts', 'account']
const LAPTOP = { width: 1440, height: 900 }
const TABLET = { width: 768, height: 1024 }
const MIN_NAME_WIDTH = 240

/** Returns the tables that are wider than the frame around them. */
const tablesOutOfFrame = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('table')].filter((table) => table.getBoundingClientRect().right > (table.parentElement?.getBoundingClientRect().right ?? 0) + 1).length)

const backgroundOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).backgroundColor)
const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

/** Shows the page in a language from the next load on. */
const speak = (page: Page, language: string) => page.evaluate((chosen) => localStorage.setItem('language', chosen), language)

test.use({ viewport: LAPTOP })

test('no list is wider than its frame or the window at 1600 and 1920, in English and Portuguese', async ({ page }) => {
  const screens = await everyScreen(page.request)
  for (const screen of screens.filter(({ name }) => LISTS.includes(name))) {
    await openScreen(page, screen)
    for (const language of ['en', 'pt-BR']) {
      await speak(page, language)
      await page.reload()
      await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
      for (const width of [1600, 1920]) {
        await page.setViewportSize({ width, height: 900 })
        expect.soft(await getOverflowWidth(page), `${screen.name} at ${width} in ${language}`).toBeLessThanOrEqual(0)
        expect.soft(await tablesOutOfFrame(page), `tables of ${screen.name} at ${width} in ${language}`).toBe(0)
      }
    }
    if (screen.name === 'conflicts') for (const head of await page.locator('tbody th').all()) await expect(head).toHaveCSS('border-radius', '0px')
    await speak(page, '')
  }
})

test('the table of yards stays in its card while people work there, in Portuguese, and a zero is quiet', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'Working', [...createRowsInYard('A', 4), ...createRowsInYard('B', 3, 101)])
  for (const [index, status] of ['ok', 'ng', 'ok'].entries()) await saveVehicle(page.request, await getHeaders(page.request, await createMember(page.request, 'op')), vehicles[index]?.id ?? 0, { status })
  await openAs(page, supervisor, `/campaign/${id}`)
  await speak(page, 'pt-BR')
  await page.reload()
  const yards = page.getByRole('region', { name: 'Pátios' })
  await expect(yards.getByRole('columnheader', { name: 'Trabalhando agora' })).toBeVisible()
  for (const [width, hidden] of [[900, 3], [1024, 3], [1280, 2], [1366, 2], [1440, 2], [1920, 0]] as const) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(() => tablesOutOfFrame(page), `at ${width}`).toBe(0)
    await expect(yards.locator('thead th:not(:visible)'), `columns that left at ${width}`).toHaveCount(hidden)
    expect((await boxOf(yards.getByRole('img').first())).width, `bar at ${width}`).toBeGreaterThanOrEqual(60)
    expect((await boxOf(yards.getByRole('row').nth(1).getByRole('cell').last())).width, `people at ${width}`).toBeGreaterThan(80)
  }
  const zero = yards.getByRole('row').nth(2).getByText('–').first()
  const colours = await Promise.all([zero, yards.getByRole('columnheader').first()].map((part) => part.evaluate((element) => getComputedStyle(element).color)))
  expect(colours[0]).toBe(colours[1])
})

test('in the strip of 26 yards on the home page no number touches its neighbour', async ({ page }) => {
  const names = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  await page.route('**/api/yards?**', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as { yards: object[] }
    // The server answers in pages, and is asked again after a change of another test.
    const shown = new URL(route.request().url()).searchParams.get('page') === '0' ? names : []
    await route.fulfill({ response, json: { ...answer, yards: shown.map((name, id) => ({ ...answer.yards[0], id: id + 1, name, vehicles_count: 1100 + id, vehicles_inspected_count: id % 7 })) } })
  })
  await openAs(page, supervisor, '/campaign-home')
  const strip = page.getByRole('list', { name: 'Progress by yard' })
  await expect(strip.getByRole('listitem')).toHaveCount(26)
  for (const width of [1100, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    const touching = await strip.locator('[data-left]').evaluateAll((all) => all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > (one.parentElement?.clientWidth ?? 0) - 2).length)
    expect(touching, `at ${width}`).toBe(0)
  }
  await expect(strip.getByRole('link').first()).toHaveAttribute('title', /^Yard A: 0 of 1.100 inspected$/)
  await page.unrouteAll({ behavior: 'ignoreErrors' }) // a page may still be asked for
})

test('the name of a campaign has room at every width, and the number of inspected vehicles is on the right', async ({ page }) => {
  const { name } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'A campaign with a name that needs room', createRowsInYard('A', 3))
  for (const path of ['/campaign-home', '/campaign-list']) {
    await openAs(page, supervisor, `${path}?search=${encodeURIComponent(name)}`)
    await speak(page, 'pt-BR')
    await page.reload()
    for (const width of [1100, 1280, 1440]) {
      await page.setViewportSize({ width, height: 720 })
      const row = page.getByRole('row', { name })
      const cell = row.getByRole('cell').nth(1)
      expect((await boxOf(cell)).width, `${path} at ${width}`).toBeGreaterThanOrEqual(MIN_NAME_WIDTH)
      await expect(cell).toContainText('Pronta para iniciar')
      await expect(row.getByRole('cell').nth(4)).toHaveText('0 / 3')
      await expect(row.getByText('0 / 3')).toHaveCSS('text-align', 'right')
      expect(await getOverflowWidth(page), `${path} at ${width}`).toBeLessThanOrEqual(0)
    }
  }
})

test('the first campaign is in the upper half of the window, for who manages', async ({ page }) => {
  const { name } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Early row', createRowsInYard('A', 3))
  for (const [path, limit] of [['/campaign-home', 460], ['/campaign-list', 340]] as const) {
    await openAs(page, supervisor, `${path}?search=${encodeURIComponent(name)}`)
    await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
    const create = await boxOf(page.getByRole('main').getByRole('link', { name: 'Create New Campaign' }))
    const title = await boxOf(page.getByRole('heading', { level: 1 }))
    expect(Math.abs(create.y + create.height / 2 - title.y - title.height / 2)).toBeLessThan(24)
    expect((await boxOf(page.getByRole('row', { name }))).y, path).toBeLessThan(limit)
  }
  for (const tab of await page.getByRole('tab').all()) expect((await boxOf(tab)).height).toBe(48)
  for (const width of [900, 1024, 1280]) {
    await page.setViewportSize({ width, height: 768 })
    const [search, chip] = [await boxOf(page.getByRole('main').getByRole('searchbox')), await boxOf(page.getByRole('group', { name: 'Campaign status' }).getByRole('button').first())]
    const isBeside = Math.abs(search.y + search.height / 2 - chip.y - chip.height / 2) < 4
    expect(isBeside || search.y + search.height <= chip.y, `search and chips at ${width}`).toBe(true)
  }
})

test('on a tablet two cards are side by side, and a new campaign is made beside the tabs', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const title = `Pair ${Date.now().toString(36)}`
  for (let n = 0; n < 2; n++) await importUniqueCampaign(page.request, headers, title, createRowsInYard('A', 3))
  await page.setViewportSize(TABLET)
  for (const path of ['/campaign-home', '/campaign-list']) {
    await openAs(page, supervisor, `${path}?search=${encodeURIComponent(title)}`)
    const cards = listEntries(page, title)
    await expect(cards).toHaveCount(2)
    const [left, right] = [await boxOf(cards.first()), await boxOf(cards.last())]
    expect([right.y, right.x > left.x + left.width]).toEqual([left.y, true])
    expect(await getOverflowWidth(page)).toBeLessThanOrEqual(0)
  }
  await page.goto('/campaign-home')
  const [tabs, create] = [await boxOf(page.getByRole('link', { name: 'Yards', exact: true })), await boxOf(page.getByRole('link', { name: 'Create New Campaign' }))]
  expect(Math.abs(create.y + create.height / 2 - tabs.y - tabs.height / 2)).toBeLessThan(4)
})

test('rows that are selected, open or below the mouse look different', async ({ page }) => {
  const { id } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Rows', createRowsInYard('A', 4))
  await openAs(page, supervisor, `/campaign/${id}/vehicles`)
  const rows = page.locator('tbody tr[data-vehicle]')
  await rows.nth(0).getByRole('checkbox').check()
  await rows.nth(1).getByRole('link').first().hover()
  const [selected, hovered, plain] = await Promise.all([0, 1, 2].map((index) => backgroundOf(rows.nth(index))))
  expect(new Set([selected, hovered, plain]).size).toBe(3)
  await rows.nth(0).getByRole('link').first().hover()
  expect(await backgroundOf(rows.nth(0))).toBe(selected)
  const facts = rows.nth(0).getByRole('cell')
  for (const index of [2, 3]) expect((await boxOf(facts.nth(index + 1))).x - (await boxOf(facts.nth(index))).x, 'facts of a vehicle are near each other').toBeLessThan(320)

  await openAs(page, supervisor, '/user-management')
  const open = page.locator('tbody tr').filter({ has: page.getByRole('button', { name: `Actions for ${supervisor.hmc}`, exact: true }) })
  await page.getByRole('searchbox').fill(supervisor.hmc)
  const { y } = await boxOf(open)
  await open.getByRole('button').first().click()
  await expect(page.getByRole('complementary', { name: `User ${supervisor.hmc}` })).toBeVisible()
  expect((await boxOf(open)).y).toBe(y)
  await page.getByRole('searchbox').hover()
  expect(await backgroundOf(open)).toBe(selected)
  await expect(open.getByRole('cell').first()).not.toHaveCSS('box-shadow', 'none')
})

/** Expects each row of the users to be one line beside the open drawer, in Portuguese, whose words are longer, and with a long time since the last use. */
async function expectUsersOnOneLine(page: Page): Promise<void> {
  const leader = await createMember(page.request, 'tm')
  await getSession(page.request, leader)
  await page.route('**/api/users/*/sessions', async (route) => {
    const response = await route.fetch()
    const { sessions } = (await response.json()) as { sessions: object[] }
    await route.fulfill({ response, json: { sessions: sessions.map((session) => ({ ...session, last_used_at: new Date(Date.now() - 23.5 * 60_000).toISOString() })) } })
  })
  await speak(page, 'pt-BR')
  await page.goto(`/user-management?user=${leader.id}&search=${encodeURIComponent(leader.hmc)}`)
  const row = page.getByRole('row').filter({ hasText: leader.hmc })
  await expect(row).toContainText('há 23 minutos')
  for (const width of [1100, 1200, 1280, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(async () => (await boxOf(row)).height, `at ${width}`).toBeLessThan(54)
    expect.soft(await tablesOutOfFrame(page), `at ${width}`).toBe(0)
  }
}

test('the chosen panel of the users is no second primary, and the drawer has one action a row', async ({ page }) => {
  await openAs(page, supervisor, '/user-management?panel=create')
  const submit = page.getByRole('form').getByRole('button', { name: 'Create New User' })
  const primary = await backgroundOf(submit)
  const filled = await page.getByRole('main').getByRole('button').evaluateAll((buttons, colour) => buttons.filter((button) => getComputedStyle(button).backgroundColor === colour).length, primary)
  expect(filled).toBe(1)
  await page.goto('/user-management')
  await page.getByRole('searchbox').fill(supervisor.hmc)
  await page.getByRole('button', { name: `${supervisor.hmc} (you)` }).click()
  const drawer = page.getByLabel(`User ${supervisor.hmc}`, { exact: true })
  const history = await boxOf(drawer.getByRole('button', { name: `History of ${supervisor.hmc}` }))
  const data = await boxOf(drawer.getByRole('button', { name: `Download personal data of ${supervisor.hmc}` }))
  const fold = await boxOf(drawer.getByText('Change HMC'))
  expect([history.x, data.x, data.y >= history.y + history.height]).toEqual([fold.x, fold.x, true])
  await expectUsersOnOneLine(page)
})

test('the account has two columns', async ({ page }) => {
  await openAs(page, supervisor, '/account')
  const [password, sessions] = [await boxOf(page.getByRole('form', { name: 'Change my password' })), await boxOf(page.getByRole('region', { name: 'Open sessions' }))]
  expect(sessions.x).toBeGreaterThan(password.x + password.width)
  await page.setViewportSize({ width: 390, height: 844 })
  expect((await boxOf(page.getByRole('region', { name: 'Open sessions' }))).x).toBeLessThan(24)
})
