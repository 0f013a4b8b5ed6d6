import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle, fetchVehicle, fetchVehicles, type Vehicle } from './support/campaign'
import { captureDownload, chooseFromMenu, typeIdentifier, openOtherStatuses, listEntries, openTool } from './support/parts'
import { supervisor } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const closed = async (page: Page, headers: Record<string, string>, id: number) => {
  for (const status of ['Ongoing', 'Closed']) expect((await page.request.put(`/api/campaigns/${id}`, { headers, data: { status } })).status()).toBe(200)
}
const chip = (page: Page, name: string) => page.getByRole('group', { name: 'Status' }).getByRole('button', { name: new RegExp(`^${name}`, 'i') })

test.use({ viewport: PHONE })

test('a vehicle of a closed campaign says so, takes nothing and leads to its campaign', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'Shut', createRowsInYard('K', 2))
  const [first] = vehicles as [Vehicle, Vehicle]
  await closed(page, headers, id)
  await openAs(page, await getSharedMember(page.request, 'op'), `/vehicle/${first.id}`)
  await expect(page.getByText('Esta campanha está encerrada. Não é possível salvar inspeções.')).toBeVisible()
  const main = page.locator('main')
  await expect(main.getByText('Current status')).toBeVisible()
  await expect(main.getByText(first.vin_number)).toBeVisible()
  await page.keyboard.type(first.vin_number, { delay: 5 })
  await page.keyboard.press('Enter')
  await expect(main.getByRole('button')).toHaveText(['History'])
  await expect(main.getByRole('textbox')).toHaveCount(0)
  await expect(page.locator('[data-bottom-bar]')).toHaveCount(0)
  await takeScreenshot(page, 'vehicle-closed')
  await main.getByRole('link', { name: 'Open campaign' }).click()
  await expect(page).toHaveURL(new RegExp(`/campaign/${id}$`))
})

test('a save without a status is asked about once, and such vehicles are counted as that', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, name, vehicles } = await importUniqueCampaign(page.request, headers, 'Bare', createRowsInYard('K', 3))
  const [first] = vehicles as [Vehicle, Vehicle, Vehicle]
  await openAs(page, await getSharedMember(page.request, 'op'), `/vehicle/${first.id}`)
  await typeIdentifier(page, first.vin_number)
  await page.getByRole('button', { name: 'Save and Exit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save without a status?' })
  await takeScreenshot(page, 'vehicle-without-status')
  await dialog.getByRole('button', { name: 'NO', exact: true }).click()
  expect((await fetchVehicle(page.request, headers, first.id)).inspected).toBe(false)
  await page.getByRole('button', { name: 'Save and Exit' }).click()
  await dialog.getByRole('button', { name: 'YES', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/campaign/${id}$`))
  await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject({ inspected: true, status: '' })

  await openAs(page, supervisor, `/campaign/${id}/vehicles`)
  await expect(chip(page, 'Not inspected')).toContainText('2')
  await expect(chip(page, 'No status')).toContainText('1')
  await chip(page, 'No status').click()
  await expect(listEntries(page, /\w/)).toHaveCount(1)
  await expect(listEntries(page, first.vin_number)).toContainText('No status')

  await openAs(page, supervisor, `/campaign-list?search=${encodeURIComponent(name)}`)
  const tool = await openTool(page, 'Status Manager')
  await tool.getByLabel('Remove').check()
  await tool.getByLabel('VIN list').fill(first.vin_number)
  await expect(tool.getByText('0 vehicles will have no status, 1 already without status.')).toBeVisible()
  await openAs(page, supervisor, `/campaign/${id}`)
  const report = await captureDownload(page, () => page.getByRole('button', { name: 'Export Vehicles List Data' }).click())
  expect(report.name).toMatch(/^report_.*\.xlsx$/)
})

test('the stored status is shown as current and is no change', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Current', createRowsInYard('K', 1))
  const [first] = vehicles as [Vehicle]
  await saveVehicle(page.request, headers, first.id, { status: 'ok' })
  await openAs(page, await getSharedMember(page.request, 'op'), `/vehicle/${first.id}`)
  const choice = (name: string) => page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name, exact: true })
  await expect(choice('Repair')).toBeVisible()
  await openOtherStatuses(page)
  await expect(choice('ok')).toHaveAttribute('aria-disabled', 'true')
  await expect(choice('ok')).toHaveAttribute('aria-current', 'true')
  await expect(choice('ok')).toContainText('current')
  await choice('Repair').click()
  await choice('ok').click({ force: true })
  await expect(page.getByText('"ok" já é o status atual.')).toBeVisible()
  await expect(choice('ok')).toHaveAttribute('aria-pressed', 'true')
  await openAs(page, supervisor, `/vehicle/${first.id}`)
  await expect(choice('ok')).toHaveAttribute('aria-disabled', 'false')
})

test('step names come in the order walked, and each step once', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, name } = await importUniqueCampaign(page.request, headers, 'Order', createRowsInYard('K', 1))
  const steps = (n: number) => page.getByRole('list', { name: `Step ${n} of 3` }).getByRole('listitem')
  const person = await getSharedMember(page.request, 'op')
  await openAs(page, person, '/campaign-home')
  await expect(steps(1)).toHaveText(['1. Campaign', '2. Yard', '3. Inspection'])
  await page.goto(`/yard?campaign=${id}`)
  await expect(steps(2)).toHaveText(['1. Campaign', '2. Yard', '3. Inspection'])
  await page.getByRole('link', { name: /^Yard K/ }).click()
  await expect(page).toHaveURL(/\/yard\/18\?campaign=/)
  await expect(steps(2)).toHaveText(['1. Campaign', '2. Yard', '3. Inspection'])
  await page.getByRole('link', { name, exact: true }).click()
  await expect(steps(3)).toHaveText(['1. Campaign', '2. Yard', '3. Inspection'])

  await page.goto('/yard')
  await expect(steps(1)).toHaveText(['1. Yard', '2. Campaign', '3. Inspection'])
  await page.goto(`/yard/18`)
  await expect(steps(2)).toHaveText(['1. Yard', '2. Campaign', '3. Inspection'])
  await page.getByPlaceholder('Search Campaign').fill(name)
  await expect(steps(2)).toHaveText(['1. Yard', '2. Campaign', '3. Inspection'])
  await page.getByRole('link', { name, exact: true }).click()
  await expect(steps(3)).toHaveText(['1. Yard', '2. Campaign', '3. Inspection'])
})

test('the menu of each role holds the entries of the specification, and what is added apart', async ({ page }) => {
  const entries = async (label: string) => (await page.getByRole('navigation', { name: label }).locator('a, button').allTextContents()).map((text) => text.trim())
  const tail = ['Logout', 'Privacy Policy', 'Terms of Service']
  for (const [person, own, more] of [
    [await getSharedMember(page.request, 'op'), ['Home'], ['Offline', 'My account']],
    [await getSharedMember(page.request, 'tm'), ['Home', 'Manage Campaigns'], ['Create New Campaign', 'Conflicts', 'Offline', 'My account']],
    [supervisor, ['Home', 'Manage Campaigns', 'User management'], ['Create New Campaign', 'Conflicts', 'Offline', 'My account']],
  ] as const) {
    await openAs(page, person, '/account')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await expect.poll(() => entries('Menu')).toEqual([...own, ...tail])
    await expect.poll(() => entries('More')).toEqual(more)
    await expect(page.getByRole('heading', { name: 'More' })).toBeVisible()
  }
  await takeScreenshot(page, 'menu-more')
})

test('operators find nothing of the dash yard in lists, filters, counts or by address; others do', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, name } = await importUniqueCampaign(page.request, headers, 'Dash', [...createRowsInYard('K', 3), ...createRowsInYard('-', 2, 11)])
  const operator = await getSharedMember(page.request, 'op')
  const asOperator = await getHeaders(page.request, operator)
  const counted = async (as: Record<string, string>) => {
    const campaign = (await (await page.request.get(`/api/campaigns/${id}`, { headers: as })).json()) as { total_vehicles: number }
    return [(await fetchVehicles(page.request, as, id)).length, campaign.total_vehicles]
  }
  expect([await counted(asOperator), await counted(headers)]).toEqual([[3, 3], [5, 5]])
  expect((await page.request.get('/api/campaigns?yard=19', { headers: asOperator })).status()).toBe(400)

  await openAs(page, operator, `/campaign/${id}`)
  await expect(page.getByRole('region', { name })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('0 / 3')
  await page.goto(`/campaign/${id}/vehicles`)
  await expect(chip(page, 'All')).toContainText('3')
  await expect(page.getByLabel('Yard Filter').locator('option')).toHaveText(['All Yards', 'Yard K'])
  await page.goto('/yard/19')
  await expect(page.getByText('Não encontrado. Talvez tenha sido excluído.')).toBeVisible()
  await expect(page.getByText('Yard -')).toHaveCount(0)

  await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign/${id}/vehicles`)
  await expect(chip(page, 'All')).toContainText('5')
  await expect(page.getByLabel('Yard Filter').locator('option')).toHaveText(['All Yards', 'Yard -', 'Yard K'])
})

test('a team leader sees before and after which notes Remove keeps', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { name, vehicles } = await importUniqueCampaign(page.request, headers, 'Keeps', createRowsInYard('K', 1))
  const [first] = vehicles as [Vehicle]
  await saveVehicle(page.request, headers, first.id, { status: 'ng', admin_notes: 'dent', operator_notes: 'door' })
  await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign-list?search=${encodeURIComponent(name)}`)
  const tool = await openTool(page, 'Status Manager')
  await tool.getByLabel('Remove').check()
  await tool.getByLabel('VIN list').fill(first.vin_number)
  const words = tool.getByText('Um veículo mantém as observações do supervisor. Só um supervisor pode limpá-las.')
  await expect(words).toBeVisible()
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(tool.getByText('1 vehicle updated, 0 skipped, 0 not found.')).toBeVisible()
  await expect(words).toBeVisible()
  expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: '', admin_notes: 'dent', operator_notes: '' })
})

test('a refusal of the server is shown in the language of the page, and numbers agree with their nouns', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('language', 'pt-BR'))
  const headers = await getHeaders(page.request, supervisor)
  const { name, vehicles } = await importUniqueCampaign(page.request, headers, 'Words', createRowsInYard('K', 1))
  const [first] = vehicles as [Vehicle]
  await openAs(page, supervisor, '/user-management')
  await page.getByRole('button', { name: 'Criar novo usuário' }).click()
  await page.getByLabel('HMC').fill(supervisor.hmc)
  await page.getByLabel('Senha', { exact: true }).fill('long-enough-1!')
  await page.getByLabel('Confirmar senha').fill('long-enough-1!')
  await page.getByLabel('Nível de acesso').selectOption('op')
  await page.getByRole('button', { name: 'Criar novo usuário' }).last().click()
  await expect(page.getByText('Este HMC (nome de acesso) já está em uso. Escolha outro.')).toBeVisible()

  await openAs(page, supervisor, `/campaign-list`)
  const tool = await openTool(page, 'Gerenciador de vagas')
  await tool.getByRole('textbox').first().fill(`${first.vin_number} 01/mar`)
  await expect(tool.getByText(/é uma data ou hora/)).toBeVisible()
  await openAs(page, supervisor, `/campaign-list?search=${encodeURIComponent(name)}`)
  await chooseFromMenu(page.getByRole('button', { name: `Converter em SQL ou excluir ${name}` }), page.getByRole('menuitem', { name: `Excluir ${name}` }))
  await expect(page.getByRole('dialog')).toContainText('Os veículos (1) também serão excluídos.')
})
