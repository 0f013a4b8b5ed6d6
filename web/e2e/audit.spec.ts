import { expect, test, type Locator, type Page } from './support/test'
import { developer, signIn, supervisor } from './support/people'
import { DESK, takeScreenshot } from './support/screenshots'
import { createRowsInYard, importUniqueCampaign } from './support/campaign'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'

const events = (page: Page) => page.locator('tbody tr, main li').filter({ has: page.locator('time') })
/** Returns the current date at UTC-3, as a date field writes it. */
const today = () => new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10)

/** Expects a text `day/month/year ás hh:mm:ss` at UTC-3 to be the current time. */
function expectNow(timestamp: string): void {
  const [, day, month, year, time] = /^(\d\d)\/(\d\d)\/(\d{4}) ás (\d\d:\d\d:\d\d)$/.exec(timestamp) ?? []
  expect(Math.abs(Date.parse(`${year}-${month}-${day}T${time}-03:00`) - Date.now()), timestamp).toBeLessThan(60_000)
}

/** Returns the height in pixels of the part of a column through the middle of a link in which a tap opens the link. */
const tapHeightOf = (link: Locator) =>
  link.evaluate((element) => {
    element.scrollIntoView({ block: 'center' })
    const { x, y, width } = element.getBoundingClientRect()
    return Array.from({ length: 120 }, (_, n) => document.elementFromPoint(x + width / 2, y - 60 + n)).filter((hit) => hit === element).length
  })

test.use({ viewport: DESK })

test('neither operator nor supervisor may stay on the audit or on the developer page', async ({ page }) => {
  for (const person of [await getSharedMember(page.request, 'op'), supervisor]) {
    for (const path of ['/logs-audit', '/developer']) {
      await openAs(page, person, path)
      await expect(page).toHaveURL(/\/campaign-home$/)
    }
  }
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByRole('link', { name: 'User management' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Logs Audit' })).toHaveCount(0)
})

test('the developer sees who did what and when, filtered and paged', async ({ page }) => {
  test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
  const person = await createMember(page.request, 'op')
  const headers = await getHeaders(page.request, supervisor)
  // More entries than one page has, none of them a page view.
  for (const user_type of Array.from({ length: 6 }, () => ['op', 'tm']).flat()) {
    expect((await page.request.put(`/api/users/${person.id}`, { headers, data: { hmc: person.hmc, user_type } })).status()).toBe(200)
  }
  await openAs(page, developer, '/campaign-home')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Logs Audit' }).click()
  await expect(events(page)).toHaveCount(10)
  await page.getByRole('button', { name: 'Page 2', exact: true }).click()
  await expect(page).toHaveURL(/page=2/)
  await expect(events(page).first()).toBeVisible()
  await page.getByLabel('Event', { exact: true }).selectOption('User changed')
  await page.getByRole('searchbox', { name: 'Search events' }).fill(`user ${person.id}`)
  await expect(page).toHaveURL(/search=/)
  await expect(events(page).first()).toContainText('alterou o usuário')
  await expect(events(page).first()).toContainText(supervisor.hmc)
  await expect(events(page).first()).toContainText('Supervisor')
  await expect(events(page).first()).toContainText('Operator → Team Leader')
  await takeScreenshot(page, 'audit')
  await page.getByLabel('HMC', { exact: true }).fill('nobody-at-all')
  await expect(page.getByText('Nenhum evento corresponde aos filtros.')).toBeVisible()
  await takeScreenshot(page, 'audit-empty')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('HMC', { exact: true }).fill(supervisor.hmc)
  await page.getByLabel('From').fill(today())
  await page.getByLabel('To', { exact: true }).fill(today())
  await expect(events(page).first()).toContainText(supervisor.hmc)
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByLabel('To', { exact: true }).fill('2020-01-02')
  await expect(page.getByText('Nenhum evento corresponde aos filtros.')).toBeVisible()
})

test('page views are in the records', async ({ page }) => {
  test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
  const walker = await createMember(page.request, 'op')
  const noted = page.waitForResponse((response) => response.url().endsWith('/logs/page-view') && response.request().postDataJSON().page === 'yard')
  await openAs(page, walker, '/yard')
  const body = (await noted).request().postDataJSON()
  expect(body.timestamp).toMatch(/^\d\d\/\d\d\/\d{4} ás \d\d:\d\d:\d\d$/)
  expectNow(body.timestamp)
  await openAs(page, developer, `/logs-audit?kind=page-view&hmc=${walker.hmc}`)
  await expect(events(page).first()).toContainText('abriu o pátio')
})

test('page views are left out of the records until the chip asks for them, and the address keeps the choice', async ({ page }) => {
  test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
  const walker = await createMember(page.request, 'op')
  const noted = page.waitForResponse((response) => response.url().endsWith('/logs/page-view'))
  await openAs(page, walker, '/yard')
  await noted
  await openAs(page, developer, `/logs-audit?hmc=${walker.hmc}`)
  const chip = page.getByRole('button', { name: 'Page views' })
  await expect(chip).toHaveAttribute('aria-pressed', 'false')
  await expect(events(page).first()).toBeVisible()
  await expect(events(page).filter({ hasText: 'Page opened' })).toHaveCount(0)
  await chip.click()
  await expect(events(page).filter({ hasText: 'Page opened' }).first()).toBeVisible()
  await page.reload()
  await expect(chip).toHaveAttribute('aria-pressed', 'true')
  await expect(events(page).filter({ hasText: 'Page opened' }).first()).toBeVisible()
})

test('the records link to the vehicle, the campaign and the user that changed', async ({ page }) => {
  test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
  const headers = await getHeaders(page.request, supervisor)
  const { id, name, vehicles } = await importUniqueCampaign(page.request, headers, 'Audited', createRowsInYard('A', 1))
  const [car] = vehicles
  expect((await page.request.put(`/api/vehicles/${car?.id}`, { headers, data: { status: 'ok' } })).status()).toBe(200)
  const member = await createMember(page.request, 'op')
  for (const [subject, link, path] of [
    [`vehicle ${car?.id}`, car?.vin_number ?? '', `/vehicle/${car?.id}`],
    [`vehicle ${car?.id}`, name, `/campaign/${id}`],
    [`campaign ${id}`, name, `/campaign/${id}`],
    [`user ${member.id}`, `HMC ${member.hmc}`, `/user-management?user=${member.id}`],
  ] as const) {
    await openAs(page, developer, `/logs-audit?search=${encodeURIComponent(subject)}`)
    const target = page.getByRole('link', { name: link, exact: true }).first()
    await expect.poll(() => tapHeightOf(target)).toBeGreaterThanOrEqual(44)
    await target.click()
    await expect(page).toHaveURL(path)
  }
  expect((await page.request.delete(`/api/campaigns/${id}`, { headers })).status()).toBe(200)
  await openAs(page, developer, `/logs-audit?search=${encodeURIComponent(name)}`)
  await expect(events(page).filter({ hasText: 'Campaign deleted' })).toHaveCount(1)
  await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0)
  await expect(page.getByRole('link', { name: `Campaign ${id}`, exact: true })).toHaveCount(0)
})

test('a sign-in is in the records, with the time of the device', async ({ page }) => {
  test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
  const walker = await createMember(page.request, 'op')
  const noted = page.waitForResponse((response) => response.url().endsWith('/logs/login'))
  await signIn(page, walker)
  const response = await noted
  expect(response.status()).toBe(204)
  const body = response.request().postDataJSON()
  expect(Object.keys(body)).toEqual(['timestamp'])
  expectNow(body.timestamp)
  await openAs(page, developer, `/logs-audit?kind=login&hmc=${walker.hmc}`)
  await expect(events(page)).not.toHaveCount(0)
  await expect(events(page).first()).toContainText(walker.hmc)
  await expect(events(page).first()).toContainText('Operator')
  await expect(events(page).first()).toContainText(/signed in/i)
})

test('the developer page says that it is in progress', async ({ page }) => {
  test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
  await openAs(page, developer, '/developer')
  await expect(page.getByText('Em progresso')).toBeVisible()
  await takeScreenshot(page, 'developer')
})
