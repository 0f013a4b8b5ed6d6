import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle } from './support/campaign'
import { chooseMenuAction } from './support/campaignActions'
import { supervisor } from './support/people'
import { DESK, PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'

let campaign: Awaited<ReturnType<typeof importUniqueCampaign>>

test.beforeAll(async ({ request }) => {
  campaign = await importUniqueCampaign(request, await getHeaders(request, supervisor), 'Dashboard', [...createRowsInYard('A', 6), ...createRowsInYard('B', 2, 101)])
})

const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' })
const box = async (part: ReturnType<Page['locator']>) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

/** Makes a conflict on the first vehicle of yard B. */
async function conflict(page: Page): Promise<void> {
  const headers = await getHeaders(page.request, supervisor)
  const vehicle = campaign.vehicles.find(({ parking_space }) => parking_space === 'B-1')
  for (const status of ['ng', 'ok']) {
    const data = { status, base: { status: '' }, on_conflict: 'keep', device_time: new Date().toISOString() }
    expect((await page.request.put(`/api/vehicles/${vehicle?.id}`, { headers, data })).status()).toBe(200)
  }
}

test.describe('at a desk', () => {
  test.use({ viewport: DESK })

  test('the campaign has its numbers, its yards and its people side by side, and one primary action', async ({ page }) => {
    const operator = await createMember(page.request, 'op')
    await saveVehicle(page.request, await getHeaders(page.request, operator), campaign.vehicles.find(({ parking_space }) => parking_space === 'A-1')?.id ?? 0, { status: 'ok' })
    await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign/${campaign.id}`)
    const numbers = page.locator('dl').filter({ hasText: 'Per hour now' })
    await expect(numbers).toContainText('1 / 8')
    await expect(numbers).toContainText(/Left7/)
    await expect(numbers).toContainText('1 pessoa agora')
    const yards = page.getByRole('region', { name: 'Yards' })
    await expect(yards.getByRole('row').filter({ has: page.getByRole('link', { name: 'Yard A: 1 of 6 inspected' }) })).toContainText(operator.hmc)
    const people = page.getByRole('region', { name: 'Working now' })
    expect((await box(people)).x).toBeGreaterThan((await box(yards)).x + (await box(yards)).width)
    const main = page.getByRole('main')
    const primary = await main.getByRole('button').or(main.getByRole('link')).evaluateAll((all) => all.filter((one) => /primary/.test(one.className)).map((one) => one.textContent))
    expect(primary).toEqual(['Continue campaign'])
    await page.getByRole('button', { name: 'More actions' }).click()
    await expect(page.getByRole('menuitem')).toHaveText(['Walk and scan', 'Make available offline', 'Set due date', 'Send for review', 'Close campaign'])
    await expect(page.getByRole('menu').locator('hr + button')).toHaveText('Close campaign') // last, below a line
    await takeScreenshot(page, 'campaign-desk')
    await chooseMenuAction(page, 'Walk and scan')
    await expect(page).toHaveURL(new RegExp(`/campaign/${campaign.id}/walk$`))
  })

  test('a chosen yard is in the breadcrumb and on a chip that leads back to the whole campaign', async ({ page }) => {
    await openAs(page, supervisor, `/campaign/${campaign.id}?yard=2`)
    await expect(page.getByRole('banner').getByRole('navigation').locator('[aria-current=page]')).toHaveText('Yard A')
    await page.getByRole('link', { name: 'Yard A: show the whole campaign' }).click()
    await expect(page).toHaveURL(new RegExp(`/campaign/${campaign.id}$`))
    await expect(page.getByRole('banner').getByRole('navigation').locator('[aria-current=page]')).toHaveText(campaign.name)
  })

  test('conflicts stand beside the campaign and beside the list of campaigns, for those who may decide', async ({ page }) => {
    await conflict(page)
    await openAs(page, supervisor, `/campaign/${campaign.id}`)
    await expect(attention(page).getByRole('link', { name: '1 conflict' })).toHaveAttribute('href', `/conflicts?campaign=${campaign.id}`)
    await page.goto('/campaign-home')
    await expect(attention(page).getByRole('link', { name: /conflict/ })).toBeVisible()
    const list = page.getByRole('table')
    expect((await box(attention(page))).x).toBeGreaterThan((await box(list)).x + (await box(list)).width)
    await takeScreenshot(page, 'home-desk')
    await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
    await expect(page.getByRole('table')).toBeVisible()
    await expect(attention(page)).toHaveCount(0)
  })
})

test.describe('on a phone', () => {
  test.use({ viewport: PHONE, hasTouch: true, isMobile: true })

  test('walking and scanning is the action of the bottom bar, and the start button stays in the card', async ({ page }) => {
    await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${campaign.id}`)
    const walk = page.getByRole('link', { name: 'Walk and scan' })
    await expect(walk).toHaveCount(1)
    const { y, height } = await box(walk)
    expect(y + height).toBeGreaterThan(PHONE.height - 40)
    await expect(page.getByRole('region', { name: campaign.name }).getByRole('button', { name: /^(Start|Continue) campaign$/ })).toBeVisible()
    const parts = [page.getByRole('button', { name: /^(Start|Continue) campaign$/ }), page.getByText('Inspected', { exact: true }), page.getByRole('button', { name: 'Make available offline' }), page.getByRole('region', { name: 'Left by yard' })]
    const tops = await Promise.all(parts.map(async (part) => (await box(part)).y))
    expect(tops, 'actions, figures, offline use, yards').toEqual(tops.toSorted((a, b) => a - b))
    await takeScreenshot(page, 'campaign-phone')
    await walk.click()
    await expect(page).toHaveURL(new RegExp(`/campaign/${campaign.id}/walk$`))
  })

  test('actions, figures and what needs attention fit in one and a half windows; charts and people are collapsed below', async ({ page }) => {
    const operator = await getHeaders(page.request, await createMember(page.request, 'op'))
    await saveVehicle(page.request, operator, campaign.vehicles[0]?.id ?? 0, { status: 'ok' })
    await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign/${campaign.id}`)
    await expect(page.locator('summary')).toHaveText([/^Progress over time\d+%$/, /^Per hour, today\d+ inspected$/, /^Working now\d+ pessoas? agora · \d+ por hora$/])
    const { y, height } = await box(attention(page))
    expect(y + height).toBeLessThan(1.5 * PHONE.height)
    const hours = page.getByRole('img', { name: /^Inspecionados por hora/ })
    await expect(hours).toHaveCount(0)
    const summary = page.locator('summary').filter({ hasText: 'Per hour, today' })
    expect((await box(summary)).height).toBeGreaterThanOrEqual(44)
    await summary.click()
    await expect(hours).toBeVisible()
    await page.reload()
    await expect(hours).toBeVisible()
    await expect(page.getByRole('img', { name: /inspecionados\. / })).toHaveCount(0)
    await takeScreenshot(page, 'campaign-phone-sections')
  })

  test('the place to resume is above the steps, and the list is above the progress of all yards', async ({ page }) => {
    const operator = await createMember(page.request, 'op')
    const vehicle = campaign.vehicles.find(({ parking_space }) => parking_space === 'A-2')
    await openAs(page, operator, `/vehicle/${vehicle?.id}`)
    await expect(page.getByText('A-2', { exact: true }).first()).toBeVisible()
    await page.goto('/campaign-home')
    const resume = page.getByRole('link', { name: 'Continue where you left off' })
    await expect(resume).toContainText('A-2')
    const tops = await Promise.all([resume, page.getByRole('list', { name: 'Step 1 of 3' }), page.getByRole('searchbox'), page.getByRole('region', { name: 'Progress', exact: true })].map(async (part) => (await box(part)).y))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    await resume.click()
    await expect(page).toHaveURL(new RegExp(`/vehicle/${vehicle?.id}$`))
  })
})
