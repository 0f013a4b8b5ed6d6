import { expect, type APIRequestContext, type Page } from '@playwright/test'
import { importUniqueCampaign, createRowsInYard, createRowsInAllYards } from './campaign'
import { chooseDeleteCampaign, chooseRowAction, openTool } from './parts'
import { developer, supervisor, type Person } from './people'
import { openAs, getHeaders, createMember, createUser } from './session'

export interface Screen {
  name: string
  path: string
  person: Person | null
  /** Steps to take after the screen has opened, such as opening a dialog. */
  prepare?: (page: Page) => Promise<void>
}

const unfoldAll = async (page: Page) => {
  for (const summary of await page.locator('details > summary').all()) await summary.click()
}

const LONGEST = 64
/** Error that names another vehicle, with a long identifier that can hardly be wrapped. */
const OTHER_VEHICLE = { code: 'OTHER_VEHICLE', message: 'not the one that was seen', vin_number: `${'W'.repeat(32)} ${'0'.repeat(32)}` }

/** Creates a supervisor with a long register number that cannot be wrapped. */
async function longNamed(request: APIRequestContext): Promise<Person> {
  const mark = Date.now().toString(36).toUpperCase()
  return await createUser(request, { hmc: 'SUPERVISOR'.repeat(7).slice(0, LONGEST - mark.length) + mark, password: 'yard-walk-2026!', user_type: 'admin' })
}

/** Returns every screen with typical content, and every dialog and panel of it. */
export async function everyScreen(request: APIRequestContext): Promise<Screen[]> {
  const person = await longNamed(request)
  const headers = await getHeaders(request, person)
  const { id, vehicles } = await importUniqueCampaign(request, headers, 'A campaign whose name is so long that it does not fit into any list and on no card of a phone', [...createRowsInAllYards(56), ...createRowsInYard('A', 100, 1001)])
  const car = vehicles.find(({ parking_space }) => parking_space === 'A-1')
  const vehicle = `/vehicle/${car?.id}`
  const inside = (name: string, path: string, prepare?: Screen['prepare']): Screen => ({ name, path, person, prepare })
  const [torn] = vehicles
  for (const [status, base] of [['ng', ''], ['ok', '']]) {
    const data = { status, base: { status: base }, on_conflict: 'keep', device_time: new Date().toISOString() }
    expect((await request.put(`/api/vehicles/${torn?.id}`, { headers, data })).status()).toBe(200)
  }
  const ofDeveloper = developer.password === '' ? [] : ['/logs-audit', '/developer'].map((path) => ({ name: path.slice(1), path, person: developer }))
  return [
    { name: 'sign-in', path: '/', person: null },
    { name: 'privacy-policy', path: '/privacy-policy', person: null },
    { name: 'terms-service', path: '/terms-service', person: null },
    inside('home', '/campaign-home?search=whose%20name'),
    inside('home-none', '/campaign-home?search=no%20such%20campaign'),
    inside('menu', '/campaign-home', (page) => page.getByRole('button', { name: 'Open menu' }).click()),
    inside('yards', '/yard'),
    inside('yards-campaign', `/yard?campaign=${id}`),
    inside('yard', '/yard/2'),
    inside('campaign', `/campaign/${id}`),
    inside('campaign-yard', `/campaign/${id}?yard=2`),
    inside('vehicles', `/campaign/${id}/vehicles`),
    inside('vehicles-page', `/campaign/${id}/vehicles?page=9`),
    inside('walk', `/campaign/${id}/walk`),
    inside('scanner', vehicle, async (page) => {
      await page.getByRole('button', { name: 'Scan', exact: true }).click()
      await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible() // the test browser has no camera
    }),
    inside('vehicle', vehicle, async (page) => {
      await page.getByRole('button', { name: 'Manual' }).click()
      await page.getByLabel('Vehicle identifier').fill('1001')
    }),
    inside('vehicle-inline', vehicle, (page) => page.getByRole('button', { name: /^Edit Parking Space/ }).click()),
    inside('import', '/import'),
    inside('manage', '/campaign-list', async (page) => {
      await unfoldAll(page)
      const tool = await openTool(page, 'Status Manager')
      await tool.getByLabel('VIN list').fill([...vehicles.map(({ vin_number }) => vin_number), 'NOBODY 1'].join('\n'))
      await tool.getByLabel('Status', { exact: true }).selectOption('ok')
      await expect(tool.getByText('156 vehicles will be set to ok, 1 not found.')).toBeVisible()
    }),
    inside('manage-list', '/campaign-list'),
    inside('manage-csv', '/campaign-list?tool=csv'),
    inside('manage-history', '/campaign-list', async (page) => {
      await expect((await openTool(page, 'History')).getByRole('button', { name: /^Undo/ }).first()).toBeVisible()
    }),
    inside('manage-space', '/campaign-list', async (page) => {
      await (await openTool(page, 'Parking Space Manager')).getByLabel('VIN and parking space list').fill('HB20\nHB20 1')
    }),
    inside('manage-delete', '/campaign-list', async (page) => {
      await chooseDeleteCampaign(page)
    }),
    ...['create', 'active', 'password', 'permission', 'hmc'].map((panel) => inside(`users-${panel}`, `/user-management?panel=${panel}`)),
    inside('users-mine', `/user-management?panel=active`, (page) => page.getByRole('searchbox').fill(person.hmc)),
    inside('users-drawer', '/user-management', async (page) => {
      await page.getByRole('searchbox').fill(person.hmc)
      await page.getByRole('button', { name: `${person.hmc} (you)` }).click()
      await page.getByLabel(`User ${person.hmc}`, { exact: true }).getByText('Change Password').click()
    }),
    inside('users-menu', '/user-management', async (page) => {
      await page.getByRole('searchbox').fill(supervisor.hmc)
      await page.getByRole('button', { name: `Actions for ${supervisor.hmc}`, exact: true }).click()
    }),
    inside('users-sessions', '/user-management?panel=active', async (page) => {
      await page.getByRole('searchbox').fill(supervisor.hmc)
      await chooseRowAction(page, supervisor.hmc, `Sessions of ${supervisor.hmc}`)
      await expect(page.getByRole('button', { name: 'End all' })).toBeVisible()
    }),
    inside('confirm-password', '/user-management?panel=create', async (page) => {
      await page.route('**/api/sign-up', (route) => route.fulfill({ status: 403, json: { code: 'CONFIRM_PASSWORD', message: 'To continue, enter your password again.' } }))
      await page.getByLabel('HMC (Register Number)').fill('never-made')
      await page.getByLabel('Password', { exact: true }).fill('yard-walk-2026!')
      await page.getByLabel('Confirm password').fill('yard-walk-2026!')
      await page.getByLabel('Access level').selectOption('Supervisor')
      await page.getByRole('form').getByRole('button', { name: 'Create New User' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Your password').fill('not-the-password')
      await dialog.getByRole('button', { name: 'Continue' }).click()
      await expect(dialog.getByRole('alert')).toBeVisible()
    }),
    { name: 'new-password', path: '/campaign-home', person: await createMember(request, 'op', true) },
    inside('outbox', '/outbox'),
    inside('conflicts', '/conflicts'),
    inside('account', '/account'),
    inside('conflicts-open', `/conflicts?campaign=${id}`),
    ...ofDeveloper,
    // last, because the number of pending saves is shown on every screen
    inside('outbox-waiting', vehicle, async (page) => {
      await page.route('**/api/vehicles/*', (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()))
      const manual = page.getByRole('button', { name: 'Manual' })
      if (await manual.isVisible()) await manual.click() // typing may already be selected
      await page.getByLabel('Vehicle identifier').fill(car?.vin_number ?? '')
      await page.getByRole('button', { name: 'Save and Exit' }).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await page.getByRole('link', { name: '1 pending save' }).click()
      await expect(page.getByRole('region', { name: 'Pending saves' })).toBeVisible()
    }),
    inside('outbox-other-car', '/outbox', async (page) => {
      await page.route('**/api/vehicles/*', (route) => (route.request().method() === 'PUT' ? route.fulfill({ status: 409, json: OTHER_VEHICLE }) : route.fallback()))
      await page.evaluate(() => window.dispatchEvent(new Event('online')))
      await expect(page.getByRole('heading', { name: 'É este o veículo?' })).toBeVisible()
    }),
    inside('vehicle-other-car', vehicle, async (page) => {
      await page.getByLabel('Vehicle identifier').fill(car?.vin_number ?? '')
      await page.getByRole('button', { name: 'Save and Exit' }).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page.getByRole('dialog', { name: 'É este o veículo?' })).toBeVisible()
    }),
  ]
}

const opened = new WeakMap<Page, Screen>()
const BETWEEN = { path: '/privacy-policy', heading: 'Política de Privacidade' }

/** Goes to a path by the router of the app, through another page, so that the page of the path is mounted anew. */
async function follow(page: Page, path: string): Promise<void> {
  const between = page.getByRole('heading', { level: 1, name: BETWEEN.heading })
  await page.evaluate((to) => history.pushState(null, '', to), BETWEEN.path)
  await expect(between).toBeVisible()
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await expect(between).toHaveCount(0)
}

/** Opens a screen and waits until it has finished loading. The app is loaded only for another person, and after steps that may leave something open. */
export async function openScreen(page: Page, screen: Screen): Promise<void> {
  const { path, person, prepare } = screen
  const before = opened.get(page)
  if (person === null) await page.goto(path)
  else if (before?.person === person && before.prepare === undefined) await follow(page, path)
  else await openAs(page, person, path)
  opened.set(page, screen)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: '…' })).toHaveCount(0)
  await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
  await prepare?.(page)
}
