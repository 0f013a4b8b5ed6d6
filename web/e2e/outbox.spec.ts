import { expect, test, type BrowserContext, type Locator, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, fetchVehicle, type Vehicle } from './support/campaign'
import { makeAvailableOffline } from './support/campaignActions'
import { openNotes } from './support/parts'
import { supervisor } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForServiceWorker, createMember } from './support/session'

const KEPT = 'Salvo neste aparelho. Será enviado quando houver conexão.'

async function inspect(page: Page, { vin_number }: Vehicle, status: string, save = 'Save and Exit'): Promise<void> {
  const manual = page.getByRole('button', { name: 'Manual' })
  if (await manual.isVisible()) await manual.click()
  await page.getByLabel('Vehicle identifier').fill(vin_number)
  await chooseAndSave(page, status, save)
}

async function chooseAndSave(page: Page, status: string, save = 'Save and Exit'): Promise<void> {
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: status, exact: true }).click()
  await page.getByRole('button', { name: save }).click()
}

/** Expects that each step of the inspection has a height. Inside a size container, Chromium often gives them none after an offline save. */
async function expectFormIsLaidOut(page: Page): Promise<void> {
  const form = page.getByRole('form', { name: 'Vehicle Inspection' })
  await expect.poll(() => form.locator('[data-step]').evaluateAll((steps) => steps.map((step) => step.getBoundingClientRect().height > 44))).toEqual([true, true, true, true])
  expect(await form.evaluate((root) => [root, ...root.querySelectorAll('*')].filter((part) => getComputedStyle(part).containerType !== 'normal').map(({ className }) => String(className)))).toEqual([])
}

test.use({ viewport: PHONE, serviceWorkers: 'allow' })

test('what is saved without a signal waits on the phone, is seen there, and is sent when there is one', async ({ page, context }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'Kept', createRowsInYard('K', 3))
  const [first, second] = vehicles as [Vehicle, Vehicle]
  const operator = await createMember(page.request, 'op')
  await openAs(page, operator, `/campaign/${id}`)
  await makeAvailableOffline(page)
  await expect(page.getByText('Pronto. Esta lista já funciona offline.')).toBeVisible()
  await page.goto(`/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Go Next' })).toBeVisible()
  await waitForServiceWorker(page)
  await context.setOffline(true)
  await inspect(page, first, 'ng', 'Save and Go Next')
  await page.getByText('Ir agora').click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}$`))
  await expect(page.getByRole('link', { name: '1 pending save' })).toBeVisible()
  await expectFormIsLaidOut(page)
  await (await openNotes(page)).fill('scratched')
  await inspect(page, second, 'ok')
  await expect(page.getByText(KEPT, { exact: true })).toBeVisible()
  await page.getByRole('link', { name: '2 pending saves' }).click()
  const waiting = page.getByRole('region', { name: 'Pending saves' }).getByRole('listitem')
  await expect(waiting).toContainText([first.vin_number, second.vin_number])
  await expect(waiting.nth(1)).toContainText('scratched')
  await expect(page.getByText('Sem conexão. O envio continua automaticamente.')).toBeVisible()
  await takeScreenshot(page, 'outbox-waiting')
  expect((await fetchVehicle(page.request, headers, first.id)).status).toBe('')

  await context.setOffline(false)
  await expect(page.getByText('Tudo enviado.')).toBeVisible()
  await expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
  await page.getByText('Sent (2)').click()
  await takeScreenshot(page, 'outbox-sent')
  expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ng', inspected: true, modified_by_hmc: operator.hmc })
  expect(await fetchVehicle(page.request, headers, second.id)).toMatchObject({ status: 'ok', operator_notes: 'scratched', modified_by_hmc: operator.hmc })
})

/** Imports a campaign of three vehicles, goes offline, and saves the first vehicle as `ng` in the name of a new operator. */
async function inspectFirstOffline(page: Page, context: BrowserContext, name: string) {
  const headers = await getHeaders(page.request, supervisor)
  const { id: campaign, vehicles } = await importUniqueCampaign(page.request, headers, name, createRowsInYard('K', 3))
  const [first, second] = vehicles as [Vehicle, Vehicle]
  await openAs(page, await createMember(page.request, 'op'), `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Go Next' })).toBeVisible()
  await waitForServiceWorker(page)
  await context.setOffline(true)
  await inspect(page, first, 'ng', 'Save and Go Next')
  return { headers, campaign, first, second }
}

test('a save that waits is edited or discarded; one that is refused says why', async ({ page, context }) => {
  const { headers, campaign, first, second } = await inspectFirstOffline(page, context, 'Refused')
  await page.getByText('Ir agora').click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}$`))
  await inspect(page, second, 'ok')
  await page.getByRole('link', { name: '2 pending saves' }).click()
  await page.getByRole('button', { name: `Edit the inspection of ${first.vin_number}` }).click()
  await expect(page.getByLabel('Vehicle identifier')).toHaveValue(first.vin_number)
  await chooseAndSave(page, 'Not Found')
  await page.getByRole('link', { name: '2 pending saves' }).click()
  const waiting = page.getByRole('region', { name: 'Pending saves' }).getByRole('listitem')
  await expect(waiting).toContainText([second.vin_number, first.vin_number])
  await expect(waiting.nth(1)).toContainText('Not Found')
  await test.step('on a wide desk neither the list nor its button is as wide as the window', async () => {
    await page.setViewportSize({ width: 1920, height: 1080 })
    const widthOf = async (part: Locator) => (await part.boundingBox())?.width ?? Infinity
    expect(await widthOf(waiting.first())).toBeLessThanOrEqual(680)
    expect(await widthOf(page.getByRole('button', { name: 'Try now' }))).toBeLessThanOrEqual(240)
    await page.setViewportSize(PHONE)
  })
  await page.getByRole('button', { name: `Discard the inspection of ${second.vin_number}` }).click()
  await page.getByRole('button', { name: 'YES', exact: true }).click()
  await expect(waiting).toHaveCount(1)

  await page.request.put(`/api/campaigns/${campaign}`, { headers, data: { status: 'Ongoing' } })
  await page.request.put(`/api/campaigns/${campaign}`, { headers, data: { status: 'Closed' } })
  await context.setOffline(false)
  await expect(page.getByText('Recusado: Esta campanha está encerrada e não aceita mais inspeções.')).toBeVisible()
  await expect(page.getByRole('link', { name: '1 pending save, 1 rejected' })).toBeVisible()
  await takeScreenshot(page, 'outbox-refused')
  await page.request.put(`/api/campaigns/${campaign}`, { headers, data: { status: 'Ongoing' } })
  await page.getByRole('button', { name: `Try again to send ${first.vin_number}` }).click()
  await expect(page.getByText('Tudo enviado.')).toBeVisible()
  expect((await fetchVehicle(page.request, headers, first.id)).status).toBe('Not Found')
  expect((await fetchVehicle(page.request, headers, second.id)).inspected).toBe(false)
})

test('a vehicle saved without a signal is corrected before the next one opens, also when the first save is sent meanwhile', async ({ page, context }) => {
  const { headers, first, second } = await inspectFirstOffline(page, context, 'Corrected')
  const correct = page.getByRole('button', { name: 'Correct this vehicle' })
  await correct.focus() // stops the delay
  await page.setViewportSize({ width: PHONE.height, height: PHONE.width })
  expect(await correct.evaluate((button) => (document.querySelector('[data-bottom-bar]')?.getBoundingClientRect().top ?? 0) - button.getBoundingClientRect().bottom), 'above the bar, also below a notice').toBeGreaterThanOrEqual(60)
  await page.setViewportSize(PHONE)
  await correct.click()
  await chooseAndSave(page, 'ok', 'Save and Go Next')
  await page.getByText('Ir agora').click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}$`))
  await expect(page.getByRole('link', { name: '1 pending save' })).toBeVisible()
  await inspect(page, second, 'ng', 'Save and Go Next')
  await page.getByRole('button', { name: 'Correct this vehicle' }).click()
  await context.setOffline(false)
  await expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
  expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ok', inspected: true, version: first.version + 1 })
  await (await openNotes(page)).fill('left door')
  await page.getByRole('button', { name: 'Save and Exit' }).click()
  await expect(page).toHaveURL(/\/campaign\//)
  await expect.poll(() => fetchVehicle(page.request, headers, second.id)).toMatchObject({ status: 'ng', operator_notes: 'left door' })
})

test('two tabs send what waits once', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL, viewport: PHONE, locale: 'pt-BR', serviceWorkers: 'block' })
  const page = await context.newPage()
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Tabs', createRowsInYard('K', 4))
  const operator = await createMember(page.request, 'op')
  let sent: string[] = []
  let cut = true
  await context.route('**/api/vehicles/*', (route) => {
    const request = route.request()
    if (request.method() !== 'PUT') return route.fallback()
    if (cut) return route.abort()
    sent.push(request.headers()['idempotency-key'] ?? '')
    return route.fallback()
  })
  for (const [index, vehicle] of vehicles.entries()) {
    await openAs(page, operator, `/vehicle/${vehicle.id}`)
    await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
    await inspect(page, vehicle, 'ok')
    await expect(page.getByRole('link', { name: new RegExp(`^${index + 1} pending save`) })).toBeVisible()
  }
  const other = await context.newPage()
  await openAs(other, operator, '/outbox')
  await expect(other.getByRole('region', { name: 'Pending saves' }).getByRole('listitem')).toHaveCount(4)
  sent = []
  cut = false
  await Promise.all([page, other].map((tab) => tab.evaluate(() => window.dispatchEvent(new Event('online')))))
  for (const tab of [page, other]) await expect(tab.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
  expect(sent).toHaveLength(4)
  expect(new Set(sent).size).toBe(4)
  await context.close()
})
