import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page, type Route } from './support/test'
import { importUniqueCampaign, createRowsInYard, fetchVehicle, type Vehicle } from './support/campaign'
import { getNavigationTimes, recordNavigationTimes, typeIdentifier } from './support/parts'
import { supervisor } from './support/people'
import { PHONE } from './support/screenshots'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'
import { createWorkbook } from './support/xlsx'

test.use({ viewport: PHONE })

async function inspect(page: Page, { vin_number }: Vehicle, status: string, save: string): Promise<void> {
  await typeIdentifier(page, vin_number)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: status, exact: true }).click()
  await page.getByRole('button', { name: save }).click()
}

const waits = (page: Page, count: number) => expect(page.getByRole('link', { name: count === 1 ? '1 pending save' : `${count} pending saves` })).toBeVisible()

test('a save counts as delivered only when the answer is the saved vehicle', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id: campaign, vehicles } = await importUniqueCampaign(page.request, headers, 'Hotel', createRowsInYard('K', 3))
  const [first, second] = vehicles as [Vehicle, Vehicle]
  const other = await fetchVehicle(page.request, headers, second.id)
  const own = await fetchVehicle(page.request, headers, first.id)
  const html = '<html><title>Welcome</title>Log in</html>'
  const answers: [string, Parameters<Route['fulfill']>[0]][] = [
    ['a login as JSON', { json: { login: 'required' } }],
    ['another vehicle', { json: { ...other, version: 9 } }],
    ['the vehicle as it was before', { json: { ...own, version: 0 } }],
    ['a page', { contentType: 'text/html', body: html }],
    ['a page called JSON', { contentType: 'application/json', body: html }],
    ['an empty answer', { status: 200, body: '' }],
    ['no content', { status: 204 }],
    ['null', { contentType: 'application/json', body: 'null' }],
    ['a redirect', { status: 302, headers: { location: '/favicon.svg' } }],
    ['a demand to log in', { status: 511, contentType: 'text/html', body: html }],
    ['a refusal that is a page', { status: 403, contentType: 'text/html', body: html }],
    ['a refusal without a code', { status: 401, json: { login: 'required' } }],
  ]
  let answer: Parameters<Route['fulfill']>[0]
  let asked = 0
  await openAs(page, await createMember(page.request, 'op'), `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await page.route('**/api/**', (route) => {
    if (route.request().method() === 'PUT' && route.request().url().includes('/vehicles/')) asked++
    return route.fulfill(answer)
  })
  answer = answers[0]?.[1]
  await inspect(page, first, 'ng', 'Save and Exit')
  await waits(page, 1)
  for (const [name, next] of answers) {
    answer = next
    const before = asked
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await expect.poll(() => asked, { message: name }).toBeGreaterThan(before)
    await waits(page, 1)
    await page.goto(`/campaign/${campaign}`)
    await waits(page, 1)
    await expect(page.getByText('Something went wrong')).toHaveCount(0)
  }
  expect((await fetchVehicle(page.request, headers, first.id)).status).toBe('')
  await page.unroute('**/api/**')
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
  expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ng', version: 2 })
})

test('a network that never answers costs the walker nothing', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Hang', createRowsInYard('K', 3))
  const [first, second] = vehicles as [Vehicle, Vehicle]
  await openAs(page, await createMember(page.request, 'op'), `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Go Next' })).toBeVisible()
  const hung: Route[] = []
  await page.route('**/api/vehicles/*', (route) => (route.request().method() === 'PUT' ? void hung.push(route) : route.fallback()))
  await typeIdentifier(page, first.vin_number)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true }).click()
  await recordNavigationTimes(page)
  await page.getByRole('button', { name: 'Save and Go Next' }).click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}$`))
  const { tapped, gone } = await getNavigationTimes(page)
  expect(gone - tapped).toBeLessThan(4500)
  await waits(page, 1)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await Promise.all(hung.map((route) => route.continue().catch(() => undefined)))
  await expect.poll(async () => (await fetchVehicle(page.request, headers, first.id)).status).toBe('ok')
})

test('a disk that the browser closed under the page is opened anew', async ({ page, context }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Closed disk', createRowsInYard('K', 2))
  const [first] = vehicles as [Vehicle]
  await openAs(page, await createMember(page.request, 'op'), `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await page.evaluate(() => {
    const { transaction } = IDBDatabase.prototype
    const { open } = IDBFactory.prototype
    const fresh = new WeakSet<IDBDatabase>()
    IDBFactory.prototype.open = function opened(...args) {
      const request = open.apply(this, args)
      request.addEventListener('success', () => fresh.add(request.result))
      return request
    }
    IDBDatabase.prototype.transaction = function begun(...args) {
      if (!fresh.has(this)) throw new DOMException('The database connection is closing.', 'InvalidStateError')
      return transaction.apply(this, args)
    }
  })
  await context.setOffline(true)
  await inspect(page, first, 'ng', 'Save and Exit')
  await waits(page, 1)
  await context.setOffline(false)
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await expect.poll(async () => (await fetchVehicle(page.request, headers, first.id)).status).toBe('ng')
})

test('a sheet that changed on the disk after it was chosen is asked for again', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'patio-sheet-'))
  const path = join(folder, 'campaign.xlsx')
  writeFileSync(path, createWorkbook([['Campaign'], ['One']]))
  await openAs(page, await getSharedMember(page.request, 'tm'), '/import')
  await page.locator('input[type=file]').setInputFiles(path)
  await expect(page.getByText('campaign.xlsx', { exact: true })).toBeVisible()
  writeFileSync(path, createWorkbook([['Campaign'], ['Another name, and longer']]))
  await page.getByRole('button', { name: 'Upload campaign' }).click()
  await expect(page.getByText('O arquivo mudou. Escolha-o novamente.')).toBeVisible()
  rmSync(folder, { recursive: true })
})

test('eight tabs of one person all load, and the last one saves', async ({ context }) => {
  const first = await context.newPage()
  const headers = await getHeaders(first.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(first.request, headers, 'Eight', createRowsInYard('K', 3))
  const operator = await createMember(first.request, 'op')
  let streams = 0
  await context.route('**/api/events', (route) => {
    streams++
    return route.fallback()
  })
  const tabs = [first, ...await Promise.all(Array.from({ length: 7 }, () => context.newPage()))]
  for (const [index, tab] of tabs.entries()) {
    const begun = Date.now()
    await openAs(tab, operator, index % 2 === 0 ? `/campaign/${id}/vehicles` : `/vehicle/${vehicles[0]?.id}`)
    await expect(tab.getByText(vehicles[0]?.vin_number ?? '').first()).toBeVisible()
    expect(Date.now() - begun, `tab ${index + 1}`).toBeLessThan(8000) // a tab that gets no connection would wait for 15 s
  }
  expect(streams).toBe(1)
  const last = tabs.at(-1) as Page
  await inspect(last, vehicles[0] as Vehicle, 'ok', 'Save and Exit')
  await expect.poll(async () => (await fetchVehicle(first.request, headers, vehicles[0]?.id ?? 0)).status).toBe('ok')
  // The save appears in a tab that has no event stream of its own.
  await expect(first.getByText(/^ok$/i).first()).toBeVisible()
})

test('a build that replaced the pieces of an open page loads the page anew, once', async ({ page }) => {
  await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-home')
  await expect(page.getByRole('searchbox')).toBeVisible()
  let refused = 0
  await page.route('**/assets/CampaignManagementPage*.js', (route) => {
    refused++
    return refused === 1 ? route.fulfill({ status: 404, body: '' }) : route.fallback()
  })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Manage Campaigns' }).click()
  await expect(page.getByRole('link', { name: 'Create New Campaign' })).toBeVisible()
  expect(refused).toBe(2)
})
