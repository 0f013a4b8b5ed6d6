import { expect, test, type APIRequestContext, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle, type Vehicle } from './support/campaign'
import { chooseRowAction, getOverflowWidth } from './support/parts'
import { supervisor } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const SIZES = [PHONE, { width: 1440, height: 900 }]

const history = (page: Page) => page.getByRole('region', { name: 'History' })
const entries = (page: Page) => history(page).getByRole('list').first().locator('> li')

/** Opens the history of the shown vehicle, which is folded on a phone. */
async function unfoldHistory(page: Page): Promise<void> {
  await expect(history(page)).toBeVisible()
  const button = history(page).getByRole('button', { name: 'History' })
  if ((await button.count()) > 0) await button.click()
}

type Headers = Record<string, string>

async function send(request: APIRequestContext, method: 'post' | 'put', path: string, headers: Headers, data: object): Promise<Record<string, unknown>> {
  const response = await request[method](`/api${path}`, { headers, data })
  expect(response.status(), `${method} ${path}: ${await response.text()}`).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

/** Changes a vehicle in every way that its history distinguishes. */
async function changedInEveryWay(request: APIRequestContext) {
  const headers = await getHeaders(request, supervisor)
  const [operator, leader] = [await getSharedMember(request, 'op'), await getSharedMember(request, 'tm')]
  const [asOperator, asLeader] = [await getHeaders(request, operator), await getHeaders(request, leader)]
  const campaign = await importUniqueCampaign(request, headers, 'History', createRowsInYard('K', 2))
  const [vehicle] = campaign.vehicles as [Vehicle]
  const path = `/vehicles/${vehicle.id}`
  await send(request, 'put', path, asOperator, { status: 'ng', origin: 'scanned', device_time: new Date(Date.now() - 18 * 60_000).toISOString() })
  await send(request, 'put', path, asLeader, { status: 'ok', base: { status: '' }, on_conflict: 'keep', origin: 'typed', device_time: new Date().toISOString() })
  const { conflicts } = (await (await request.get(`/api/conflicts?campaign_id=${campaign.id}`, { headers })).json()) as { conflicts: { id: number; vehicle_id: number }[] }
  const conflict = conflicts.find(({ vehicle_id }) => vehicle_id === vehicle.id)
  await send(request, 'post', `/conflicts/${conflict?.id}/settle`, headers, { choice: 'mine' })
  await send(request, 'post', '/vehicles/bulk/status', asLeader, { vins: [vehicle.vin_number], action: 'insert', status: 'Repair', campaign_id: campaign.id })
  const [model, serial] = vehicle.vin_number.split(' ')
  const csv = { name: 'spaces.csv', mimeType: 'text/csv', buffer: Buffer.from(`Model Code,Serial Number,Parking Space\n${model},${serial},C-9`) }
  const applied = await request.post('/api/vehicles/csv', { headers: asLeader, multipart: { file: csv } })
  expect(applied.status(), await applied.text()).toBe(200)
  await saveVehicle(request, headers, vehicle.id, { admin_notes: 'left door' })
  return { campaign, vehicle, operator, leader, headers }
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('the history of a vehicle says who changed what, when and how, newest first', async ({ page }) => {
      const { vehicle, operator, leader } = await changedInEveryWay(page.request)
      await openAs(page, leader, `/vehicle/${vehicle.id}`)
      await unfoldHistory(page)
      const lines = [
        ['QC / Supervisor Notes', 'empty', 'left door', supervisor.hmc, 'without scan'],
        ['Parking Space', 'K-1', 'C-9', leader.hmc, 'CSV file spaces.csv'],
        ['Status', 'ok', 'Repair', leader.hmc, 'bulk change'],
        ['Conflict resolved', 'Status', 'ng', 'ok', supervisor.hmc],
        ['Conflict', 'Status', 'ng', 'stored first', 'ok', 'in this save', leader.hmc, 'typed'],
        ['Status', 'Not inspected', 'ng', operator.hmc, 'scanned', 'Hora do aparelho: '],
        ['Imported from campaign.xlsx', supervisor.hmc],
      ]
      await expect(entries(page)).toHaveCount(lines.length)
      for (const [index, words] of lines.entries()) {
        const entry = entries(page).nth(index)
        for (const word of words) await expect(entry).toContainText(word)
        await expect(entry.locator('time')).toHaveAttribute('datetime', /^\d{4}-/)
      }
      await expect(history(page).getByText(/Hora do aparelho/)).toHaveCount(1)
      await expect(history(page).getByRole('link', { name: 'bulk change' })).toHaveAttribute('href', '/campaign-list?tool=history')
      await takeScreenshot(page, 'vehicle-history')
      expect(await getOverflowWidth(page)).toBeLessThanOrEqual(0)
    })

    test('an operator sees the changes of status and space only', async ({ page }) => {
      const { vehicle, operator } = await changedInEveryWay(page.request)
      await openAs(page, operator, `/vehicle/${vehicle.id}`)
      await unfoldHistory(page)
      await expect(entries(page)).toHaveCount(6)
      await expect(history(page)).not.toContainText('left door')
      await expect(history(page).getByText('bulk change')).toBeVisible()
      await expect(history(page).getByRole('link')).toHaveCount(0)
    })

    test('older changes are shown by a button, and a change by another person appears at once', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const { vehicles: [vehicle] } = await importUniqueCampaign(page.request, headers, 'Older', createRowsInYard('K', 1))
      const id = vehicle?.id ?? 0
      for (let note = 1; note <= 22; note++) await send(page.request, 'put', `/vehicles/${id}`, headers, { operator_notes: `note ${note}` })
      const live = page.waitForResponse((response) => response.url().endsWith('/api/events'))
      await openAs(page, await getSharedMember(page.request, 'tm'), `/vehicle/${id}`)
      await live // earlier changes are not announced
      await unfoldHistory(page)
      await expect(entries(page)).toHaveCount(21) // 20 changes and the button
      await history(page).getByRole('button', { name: 'Show older' }).click()
      await expect(entries(page)).toHaveCount(23)
      await expect(entries(page).nth(20)).toBeFocused()
      await expect(entries(page).last()).toContainText('Imported from campaign.xlsx')
      await saveVehicle(page.request, headers, id, { status: 'ng' })
      await expect(entries(page).first()).toContainText('ng')
      await expect(entries(page)).toHaveCount(24)
    })
  })
}

test('the history of a campaign shows import, status, due date and bulk changes without saves, and that of a person the sign-ins', async ({ page }) => {
  const { campaign, leader, headers } = await changedInEveryWay(page.request)
  await send(page.request, 'put', `/campaigns/${campaign.id}`, headers, { due_at: '2030-01-31T20:00:00Z' })
  await openAs(page, leader, `/campaign/${campaign.id}`)
  await page.getByRole('button', { name: 'History' }).click()
  const lines = [
    ['Due date', 'empty', '31/01/2030, 17:00', supervisor.hmc],
    ['1 vehicle changed by spaces.csv', leader.hmc, 'bulk change'],
    ['Status Repair set on 1 vehicle', leader.hmc, 'bulk change'],
    ['Status', 'Ready', 'Ongoing'],
    ['Imported with 2 vehicles', supervisor.hmc],
  ]
  const events = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await expect(events).toHaveCount(lines.length)
  for (const [index, words] of lines.entries()) for (const word of words) await expect(events.nth(index)).toContainText(word)
  await takeScreenshot(page, 'campaign-history')
  expect(await getOverflowWidth(page)).toBeLessThanOrEqual(0)
  await openAs(page, supervisor, `/user-management?search=${leader.hmc}`)
  await chooseRowAction(page, leader.hmc, `History of ${leader.hmc}`)
  const dialog = page.getByRole('dialog', { name: `History of ${leader.hmc}` })
  for (const words of ['entrou', 'criou o usuário', '1 vehicle changed by a CSV file']) await expect(dialog.getByRole('listitem').filter({ hasText: words }).first()).toBeVisible()
})
