import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, fetchVehicle, type Vehicle } from './support/campaign'
import { developer, supervisor } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForServiceWorker, createMember } from './support/session'

const A_DAY = 86_400_000

test.use({ viewport: PHONE, serviceWorkers: 'allow' })

async function inspect(page: Page, { vin_number }: Vehicle, status: string): Promise<void> {
  const manual = page.getByRole('button', { name: 'Manual' })
  if (await manual.isVisible()) await manual.click()
  await page.getByLabel('Vehicle identifier').fill(vin_number)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: status, exact: true }).click()
  await page.getByRole('button', { name: 'Save and Exit' }).click()
}

async function twoCars(page: Page, title: string) {
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(page.request, headers, title, createRowsInYard('K', 3))
  const [first, second] = vehicles as [Vehicle, Vehicle]
  return { headers, campaign: id, first, second, operator: await createMember(page.request, 'op') }
}

test('a phone whose storage is full says so, keeps what was typed, and saves with a signal', async ({ page, context, baseURL }) => {
  const { headers, campaign, first, operator } = await twoCars(page, 'Full')
  await openAs(page, operator, `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await waitForServiceWorker(page)
  const session = await context.newCDPSession(page)
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(baseURL ?? '').origin, quotaSize: 1 })
  await context.setOffline(true)
  await inspect(page, first, 'ng')
  await expect(page.getByText('sem espaço neste aparelho', { exact: false })).toBeVisible()
  await takeScreenshot(page, 'vehicle-disk-full')
  await expect(page.getByLabel('Vehicle identifier')).toHaveValue(first.vin_number)
  await expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)

  await context.setOffline(false)
  await page.getByRole('button', { name: 'Save and Exit' }).click()
  await expect(page).toHaveURL(new RegExp(`/campaign/${campaign}$`))
  expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ng', modified_by_hmc: operator.hmc })
  await page.getByRole('button', { name: 'Make available offline' }).click()
  await expect(page.getByText('Sem espaço neste aparelho.', { exact: false })).toBeVisible()
})

test('a browser that keeps nothing saves with a signal and says that it cannot without one', async ({ page, context }) => {
  const { headers, campaign, first, second, operator } = await twoCars(page, 'Private')
  await page.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }))
  await openAs(page, operator, `/vehicle/${first.id}`)
  await expect(page.getByText('Este navegador não consegue guardar dados. Não é possível salvar sem conexão.')).toBeVisible()
  await inspect(page, first, 'ok')
  await expect(page).toHaveURL(new RegExp(`/campaign/${campaign}$`))
  expect((await fetchVehicle(page.request, headers, first.id)).status).toBe('ok')
  await page.goto('/outbox')
  await expect(page.getByText('Você só pode trabalhar com conexão.', { exact: false })).toBeVisible()
  await takeScreenshot(page, 'outbox-no-disk')

  await page.goto(`/vehicle/${second.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await context.setOffline(true)
  await inspect(page, second, 'ok')
  await expect(page.getByText('Não foi salvo. Sem conexão, e este navegador não consegue guardar dados.', { exact: false })).toBeVisible()
  await expect(page.getByLabel('Vehicle identifier')).toHaveValue(second.vin_number)
})

test('a clock that is off by a day changes nothing but the reported device time', async ({ page, context }) => {
  test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')
  const { headers, first, second, operator } = await twoCars(page, 'Clock')
  await page.clock.install({ time: Date.now() - A_DAY })
  await openAs(page, operator, `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await waitForServiceWorker(page)
  await context.setOffline(true)
  await inspect(page, first, 'ng')
  await expect(page.getByRole('link', { name: '1 pending save' })).toBeVisible()
  // the clock is corrected, but a day too far
  await page.clock.setSystemTime(Date.now() + A_DAY)
  await page.getByRole('link', { name: '1 pending save' }).click()
  await expect(page.getByRole('region', { name: 'Pending saves' }).getByText('anteontem', { exact: false })).toBeVisible()
  await context.setOffline(false)
  await page.clock.runFor(10_000)
  await expect(page.getByText('Tudo enviado.', { exact: false })).toBeVisible()
  const stored = await fetchVehicle(page.request, headers, first.id)
  expect(stored).toMatchObject({ status: 'ng', modified_by_hmc: operator.hmc })
  expect(Math.abs(Date.parse(String(stored.modified_at)) - Date.now())).toBeLessThan(A_DAY / 24)
  expect((await fetchVehicle(page.request, headers, second.id)).inspected).toBe(false)
  const records = await page.request.get(`/api/logs/audit?kind=vehicle-changed&hmc=${encodeURIComponent(operator.hmc)}`, { headers: await getHeaders(page.request, developer) })
  const { events } = (await records.json()) as { events: { new: { claimed_device_time: string } }[] }
  expect(events.map((event) => Math.round((Date.now() - Date.parse(event.new.claimed_device_time)) / A_DAY))).toEqual([1])
})

test('an update of the app in the middle of the queue loses nothing', async ({ page, context, baseURL }) => {
  const { headers, first, second, operator } = await twoCars(page, 'Update')
  // the page gets a changed service worker, so that the browser's update check, which bypasses the route, finds a newer one
  await context.route(`${baseURL ?? ''}/sw.js`, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: `${await answer.text()}\n// before` })
  })
  await openAs(page, operator, `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await waitForServiceWorker(page)
  const tries: number[] = []
  await page.route('**/api/vehicles/*', (route) => {
    if (route.request().method() !== 'PUT') return route.fallback()
    tries.push(Date.now())
    return route.abort()
  })
  await inspect(page, first, 'ng')
  await expect(page.getByRole('link', { name: '1 pending save' })).toBeVisible()
  await page.goto(`/vehicle/${second.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await inspect(page, second, 'ok')
  await expect(page.getByRole('link', { name: '2 pending saves' })).toBeVisible()
  await page.evaluate(async () => {
    await (await globalThis.navigator.serviceWorker.ready).update()
  })
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Update now' }).click()])
  await expect(page.getByRole('button', { name: 'Update now' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: '2 pending saves' })).toBeVisible()
  await page.unroute('**/api/vehicles/*')
  await expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
  // saves are retried with each page, with each save and after each backoff, but not continuously
  expect(tries.filter((at) => at > (tries.at(-1) ?? 0) - 2000).length).toBeLessThan(6)
  const statuses = async () => [(await fetchVehicle(page.request, headers, first.id)).status, (await fetchVehicle(page.request, headers, second.id)).status]
  await expect.poll(statuses).toEqual(['ng', 'ok'])
})
