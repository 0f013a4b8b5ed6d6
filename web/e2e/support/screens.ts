import { expect, type APIRequestContext, type Page } from '@playwright/test'
import { campaignOf, rowsIn, rowsOver } from './campaign'
import { developer, supervisor, type Person } from './people'
import { enter, headersOf } from './session'

export interface Screen {
  name: string
  path: string
  person: Person | null
  /** What is opened or typed before one looks. */
  prepare?: (page: Page) => Promise<void>
}

const unfoldAll = async (page: Page) => {
  for (const summary of await page.locator('details > summary').all()) await summary.click()
}

const LONGEST = 64

/** A supervisor whose register number fits nowhere and has no place to break. */
async function longNamed(request: APIRequestContext): Promise<Person> {
  const mark = Date.now().toString(36).toUpperCase()
  const person = { hmc: 'SUPERVISOR'.repeat(7).slice(0, LONGEST - mark.length) + mark, password: 'yard-walk-2026!' }
  const made = await request.post('/api/sign-up', { headers: await headersOf(request, supervisor), data: { ...person, user_type: 'admin' } })
  expect(made.status()).toBe(201)
  return person
}

/** Every screen, filled as it is in use, with what opens on it. */
export async function everyScreen(request: APIRequestContext): Promise<Screen[]> {
  const person = await longNamed(request)
  const headers = await headersOf(request, person)
  const { id, vehicles } = await campaignOf(request, headers, 'A campaign whose name is so long that it does not fit into any list and on no card of a phone', [...rowsOver(56), ...rowsIn('A', 100, 1001)])
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
      await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible() // there is no camera here
    }),
    inside('vehicle', vehicle, async (page) => {
      await page.getByRole('button', { name: 'Manual' }).click()
      await page.getByLabel('Vehicle identifier').fill('1001')
    }),
    inside('vehicle-inline', vehicle, (page) => page.getByRole('button', { name: /^Edit Parking Space/ }).click()),
    inside('import', '/import'),
    inside('manage', '/campaign-list', async (page) => {
      await unfoldAll(page)
      await page.getByLabel('VIN list').fill(vehicles.map(({ vin_number }) => vin_number).join('\n'))
      await page.locator('details').filter({ has: page.getByRole('heading', { name: 'Status Manager' }) }).getByLabel('Status', { exact: true }).selectOption('ok')
      await expect(page.getByText('156 vehicles become ok.')).toBeVisible()
      await page.getByLabel('VIN and parking space list').fill('HB20\nHB20 1')
    }),
    inside('manage-delete', '/campaign-list', (page) => page.getByRole('button', { name: /^Delete / }).first().click()),
    ...['create', 'active', 'password', 'permission', 'hmc'].map((panel) => inside(`users-${panel}`, `/user-management?panel=${panel}`)),
    inside('users-mine', `/user-management?panel=active`, (page) => page.getByRole('searchbox').fill(person.hmc)),
    inside('outbox', '/outbox'),
    inside('conflicts', '/conflicts'),
    inside('account', '/account'),
    inside('conflicts-open', `/conflicts?campaign=${id}`),
    ...ofDeveloper,
    // last, because what waits is told on every screen
    inside('outbox-waiting', vehicle, async (page) => {
      await page.route('**/api/vehicles/*', (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()))
      const manual = page.getByRole('button', { name: 'Manual' })
      if (await manual.isVisible()) await manual.click() // typing stays chosen
      await page.getByLabel('Vehicle identifier').fill(car?.vin_number ?? '')
      await page.getByRole('button', { name: 'Save and Exit' }).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await page.getByRole('link', { name: '1 save waits on this phone' }).click()
      await expect(page.getByRole('region', { name: 'To send' })).toBeVisible()
    }),
  ]
}

/** Opens a screen and waits until nothing is loading any more. */
export async function open(page: Page, { path, person, prepare }: Screen): Promise<void> {
  if (person === null) await page.goto(path)
  else await enter(page, person, path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: '…' })).toHaveCount(0)
  await expect(page.locator('[role=status][aria-label]')).toHaveCount(0)
  await prepare?.(page)
}
