import { expect, test } from './support/test'
import { campaignOf, rowsIn, saved, vehicleOf, vehiclesOf } from './support/campaign'
import { campaignRow, rowsOf, showCampaigns, toast, unfold } from './support/parts'
import { supervisor } from './support/people'
import { DESK } from './support/screenshots'
import { enter, headersOf, memberOf } from './support/session'

test.use({ viewport: DESK })

test('Repair does not count as inspected, any other status does, and Remove clears the notes', async ({ page }) => {
  const headers = await headersOf(page.request, supervisor)
  const { id, name, vehicles } = await campaignOf(page.request, headers, 'Counting', rowsIn('K', 3))
  const [first, second, third] = vehicles.map(({ vin_number }) => vin_number) as [string, string, string]
  await enter(page, supervisor, `/campaign-list?search=${encodeURIComponent(name)}`)
  const row = campaignRow(page, name)
  const tool = await unfold(page, 'Status Manager')
  await tool.getByLabel('Campaign').selectOption({ label: name })
  for (const [vins, status, progress] of [[[first, second], 'Repair', '0 / 3'], [[second, third], 'ng', '2 / 3']] as const) {
    await unfold(page, 'Status Manager')
    await tool.getByLabel('VIN list').fill(vins.join('\n'))
    await tool.getByLabel('Status', { exact: true }).selectOption(status)
    await expect(tool.getByText(`2 vehicles will be set to ${status}.`)).toBeVisible()
    await tool.getByRole('button', { name: 'Execute' }).click()
    await expect(tool.getByText('2 vehicles updated, 0 skipped, 0 not found.')).toBeVisible()
    await showCampaigns(page)
    await expect(row).toContainText(progress)
  }
  const inspected = async () => (await vehiclesOf(page.request, headers, id)).map((vehicle) => [vehicle.status, vehicle.inspected])
  expect(await inspected()).toEqual([['Repair', false], ['ng', true], ['ng', true]])

  const csv = await unfold(page, 'CSV Editor')
  const line = (vin: string, status: string) => `${vin.replace(' ', ',')},${status}`
  await csv.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(['Model Code,Serial Number,Status', line(first, 'Repair OK'), line(second, 'Repair')].join('\n')) })
  await expect(csv.getByText('Vehicles: 2 · To change: 2 · Errors: 0')).toBeVisible()
  await csv.getByRole('button', { name: 'Execute' }).click()
  await expect(csv.getByText('2 vehicles updated.')).toBeVisible()
  expect((await inspected()).map(([, done]) => done === true)).toEqual([true, false, true])

  await saved(page.request, headers, vehicles[2]?.id ?? 0, { operator_notes: 'one', admin_notes: 'two' })
  await unfold(page, 'Status Manager')
  await tool.getByLabel('Remove').check()
  await tool.getByLabel('VIN list').fill(third)
  await expect(tool.getByText('1 vehicle will have no status.')).toBeVisible()
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(tool.getByText('1 vehicle updated, 0 skipped, 0 not found.')).toBeVisible()
  expect(await vehicleOf(page.request, headers, vehicles[2]?.id ?? 0)).toMatchObject({ status: '', inspected: false, operator_notes: '', admin_notes: '' })
  await showCampaigns(page)
  await expect(row).toContainText('1 / 3')
})

test('vehicles of a closed campaign are left as they are, and the reason is that', async ({ page }) => {
  const headers = await headersOf(page.request, supervisor)
  const { id, vehicles } = await campaignOf(page.request, headers, 'Closed', rowsIn('K', 2))
  const [first, second] = vehicles.map(({ vin_number }) => vin_number) as [string, string]
  for (const status of ['Ongoing', 'Closed']) expect((await page.request.put(`/api/campaigns/${id}`, { headers, data: { status } })).status()).toBe(200)
  await enter(page, await memberOf(page.request, 'tm'), '/campaign-list')
  const tool = await unfold(page, 'Status Manager')
  await tool.getByLabel('VIN list').fill(`${first}\n${second}`)
  await tool.getByLabel('Status', { exact: true }).selectOption('ok')
  await expect(tool.getByText('0 vehicles will be set to ok, 2 in a closed campaign.')).toBeVisible()
  await tool.getByRole('button', { name: 'Skipped: 2' }).click()
  for (const vin of [first, second]) await expect(tool.getByRole('row', { name: `${vin} campaign closed` })).toBeVisible()
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(toast(page, '0 vehicles updated, 2 skipped, 0 not found.')).toBeVisible()
  await expect(page.getByText('Vehicles already having the status.')).toHaveCount(0)
  await expect(page.getByText('Some VINs not found or without status.')).toHaveCount(0)
  for (const vehicle of await vehiclesOf(page.request, headers, id)) expect([vehicle.status, vehicle.inspected]).toEqual(['', false])
})

test('the yard follows the first letter of the parking space, and there is none for an unknown letter', async ({ page }) => {
  const headers = await headersOf(page.request, supervisor)
  const spaces: [space: string, yard: number | null, group: string][] = [['z-5', 10, 'Z'], ['- 12', 19, '-'], ['--', 19, '-'], ['0-15', 12, '0'], ['!7', null, '!7']]
  const { id, name, model, vehicles } = await campaignOf(page.request, headers, 'Yards', rowsIn('K', spaces.length))
  await enter(page, await memberOf(page.request, 'tm'), '/campaign-list')
  const tool = await unfold(page, 'Parking Space Manager')
  await tool.getByLabel('Campaign').selectOption({ label: name })
  await tool.getByLabel('VIN and parking space list').fill(vehicles.map(({ vin_number }, index) => `${vin_number} ${spaces[index]?.[0]}`).join('\n'))
  await expect(tool.getByText('5 vehicles will change parking space.')).toBeVisible()
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(tool.getByText('5 vehicles updated, 0 skipped, 0 not found.')).toBeVisible()
  for (const [index, [parking_space, id_yard]] of spaces.entries()) {
    const { id_yard: stored, parking_space: space } = await vehicleOf(page.request, headers, vehicles[index]?.id ?? 0)
    expect([String(space).toLowerCase(), stored ?? null]).toEqual([parking_space.toLowerCase(), id_yard])
  }
  await page.goto(`/campaign/${id}/vehicles`)
  const groups = page.getByLabel('Yard Filter').getByRole('option')
  await expect(groups.filter({ hasText: /^Yard (-|0)$/ })).toHaveCount(2)
  await page.getByLabel('Yard Filter').selectOption('Yard -')
  await expect(rowsOf(page, model)).toHaveCount(2)
})
