import { expect, test } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle, fetchVehicle, fetchVehicles } from './support/campaign'
import { campaignRow, listEntries, showCampaigns, toastWith, openTool } from './support/parts'
import { supervisor } from './support/people'
import { DESK } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

test.use({ viewport: DESK })

test('Repair does not count as inspected, any other status does, and Remove clears the notes', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, name, vehicles } = await importUniqueCampaign(page.request, headers, 'Counting', createRowsInYard('K', 3))
  const [first, second, third] = vehicles.map(({ vin_number }) => vin_number) as [string, string, string]
  await openAs(page, supervisor, `/campaign-list?search=${encodeURIComponent(name)}`)
  const row = campaignRow(page, name)
  const tool = await openTool(page, 'Status Manager')
  await tool.getByLabel('Campaign').selectOption({ label: name })
  for (const [vins, status, progress] of [[[first, second], 'Repair', '0 / 3'], [[second, third], 'ng', '2 / 3']] as const) {
    await openTool(page, 'Status Manager')
    await tool.getByLabel('VIN list').fill(vins.join('\n'))
    await tool.getByLabel('Status', { exact: true }).selectOption(status)
    await expect(tool.getByText(`2 vehicles will be set to ${status}.`)).toBeVisible()
    await tool.getByRole('button', { name: 'Execute' }).click()
    await expect(tool.getByText('2 vehicles updated, 0 skipped, 0 not found.')).toBeVisible()
    await showCampaigns(page)
    await expect(row).toContainText(progress)
  }
  const inspected = async () => (await fetchVehicles(page.request, headers, id)).map((vehicle) => [vehicle.status, vehicle.inspected])
  expect(await inspected()).toEqual([['Repair', false], ['ng', true], ['ng', true]])

  const csv = await openTool(page, 'CSV Editor')
  const line = (vin: string, status: string) => `${vin.replace(' ', ',')},${status}`
  await csv.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(['Model Code,Serial Number,Status', line(first, 'Repair OK'), line(second, 'Repair')].join('\n')) })
  await expect(csv.getByText('Vehicles: 2 · To change: 2 · Errors: 0')).toBeVisible()
  await csv.getByRole('button', { name: 'Execute' }).click()
  await expect(csv.getByText('2 vehicles updated.')).toBeVisible()
  expect((await inspected()).map(([, done]) => done === true)).toEqual([true, false, true])

  await saveVehicle(page.request, headers, vehicles[2]?.id ?? 0, { operator_notes: 'one', admin_notes: 'two' })
  await openTool(page, 'Status Manager')
  await tool.getByLabel('Remove').check()
  await tool.getByLabel('VIN list').fill(third)
  await expect(tool.getByText('1 vehicle will have no status.')).toBeVisible()
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(tool.getByText('1 vehicle updated, 0 skipped, 0 not found.')).toBeVisible()
  expect(await fetchVehicle(page.request, headers, vehicles[2]?.id ?? 0)).toMatchObject({ status: '', inspected: false, operator_notes: '', admin_notes: '' })
  await showCampaigns(page)
  await expect(row).toContainText('1 / 3')
})

test('vehicles of a closed campaign are left as they are, and the reason is that', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'Closed', createRowsInYard('K', 2))
  const [first, second] = vehicles.map(({ vin_number }) => vin_number) as [string, string]
  for (const status of ['Ongoing', 'Closed']) expect((await page.request.put(`/api/campaigns/${id}`, { headers, data: { status } })).status()).toBe(200)
  await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-list')
  const tool = await openTool(page, 'Status Manager')
  await tool.getByLabel('VIN list').fill(`${first}\n${second}`)
  await tool.getByLabel('Status', { exact: true }).selectOption('ok')
  await expect(tool.getByText('0 vehicles will be set to ok, 2 in a closed campaign.')).toBeVisible()
  await tool.getByText('Skipped: 2', { exact: true }).click()
  for (const vin of [first, second]) await expect(tool.getByRole('row', { name: `${vin} campaign closed` })).toBeVisible()
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(toastWith(page, '0 vehicles updated, 2 skipped, 0 not found.')).toBeVisible()
  await expect(page.getByText('Vehicles already having the status.')).toHaveCount(0)
  await expect(page.getByText('Some VINs not found or without status.')).toHaveCount(0)
  for (const vehicle of await fetchVehicles(page.request, headers, id)) expect([vehicle.status, vehicle.inspected]).toEqual(['', false])
})

test('the yard follows the first letter of the parking space, and there is none for an unknown letter', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const spaces: [space: string, yard: number | null, group: string][] = [['z-5', 10, 'Z'], ['- 12', 19, '-'], ['--', 19, '-'], ['0-15', 12, '0'], ['!7', null, '!7']]
  const { id, name, model, vehicles } = await importUniqueCampaign(page.request, headers, 'Yards', createRowsInYard('K', spaces.length))
  await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-list')
  const tool = await openTool(page, 'Parking Space Manager')
  await tool.getByLabel('Campaign').selectOption({ label: name })
  await tool.getByLabel('VIN and parking space list').fill(vehicles.map(({ vin_number }, index) => `${vin_number} ${spaces[index]?.[0]}`).join('\n'))
  await expect(tool.getByText('5 vehicles will change parking space.')).toBeVisible()
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(tool.getByText('5 vehicles updated, 0 skipped, 0 not found.')).toBeVisible()
  for (const [index, [parking_space, id_yard]] of spaces.entries()) {
    const { id_yard: stored, parking_space: space } = await fetchVehicle(page.request, headers, vehicles[index]?.id ?? 0)
    expect([String(space).toLowerCase(), stored ?? null]).toEqual([parking_space.toLowerCase(), id_yard])
  }
  await page.goto(`/campaign/${id}/vehicles`)
  const groups = page.getByLabel('Yard Filter').getByRole('option')
  await expect(groups.filter({ hasText: /^Yard (-|0)$/ })).toHaveCount(2)
  await page.getByLabel('Yard Filter').selectOption('Yard -')
  await expect(listEntries(page, model)).toHaveCount(2)
})

const TWO_LINES_PX = 28

test('the preview shows its vehicles without an inner scroll box, each VIN in one line on a tablet', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Preview', createRowsInYard('K', 24))
  await page.setViewportSize({ width: 768, height: 1024 })
  await openAs(page, supervisor, '/campaign-list')
  const tool = await openTool(page, 'Status Manager')
  await tool.getByLabel('VIN list').fill(vehicles.map(({ vin_number }) => vin_number).join('\n'))
  await tool.getByLabel('Status', { exact: true }).selectOption('ok')
  await expect(tool.getByText('Mostrando 20 de 24 veículos.')).toBeVisible()
  const table = tool.getByRole('table', { name: 'Changes' })
  const scrollers = await table.evaluate((element) => {
    let boxes = 0
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) boxes += Number(/auto|scroll/.test(getComputedStyle(box).overflowY))
    return boxes
  })
  expect(scrollers).toBe(0)
  const heights = await table.locator('.mono').evaluateAll((vins) => vins.map((vin) => vin.getBoundingClientRect().height))
  expect(heights).toHaveLength(20)
  expect(Math.max(...heights)).toBeLessThan(TWO_LINES_PX)
})
