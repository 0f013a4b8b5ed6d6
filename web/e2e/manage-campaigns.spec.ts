import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, vinOf, createRowsInAllYards, type CampaignRow } from './support/campaign'
import { campaignRow, chooseDeleteCampaign, listEntries, showCampaigns, toolOf, openTool } from './support/parts'
import { supervisor } from './support/people'
import { DESK, SIZES, takeScreenshot, takeWindowScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const rows = createRowsInAllYards(60)
const YARD_A = 2

/** Imports a campaign for this test only, with VINs that no other campaign has. */
async function ownCampaign(page: Page, title: string) {
  const { id, name, model } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), title, rows)
  return { id, name, vin: (row: CampaignRow) => vinOf(row, model) }
}

const at = (index: number): CampaignRow => rows[index] as CampaignRow

/** Expects eleven campaigns of one name on two pages. `?page` counts from 1, which is the default. */
async function expectPages(page: Page): Promise<void> {
  const headers = await getHeaders(page.request, supervisor)
  const title = `Paged ${Date.now().toString(36)}${Math.floor(Math.random() * 1e6)}`
  for (let n = 0; n < 11; n++) await importUniqueCampaign(page.request, headers, title, createRowsInAllYards(1))
  const names = () => listEntries(page, title).getByRole('link', { name: title }).filter({ hasText: title }).allTextContents()
  const pager = page.getByRole('navigation', { name: 'Pages' })
  const shown = async (query: string, current: string, count: number) => {
    await page.goto(`/campaign-list?search=${encodeURIComponent(title)}${query}`)
    await expect(listEntries(page, title)).toHaveCount(count)
    await expect(pager.locator('[aria-current=page]')).toHaveText(current)
    return names()
  }
  const first = await shown('', '1', 10)
  expect(await shown('&page=1', '1', 10)).toEqual(first)
  expect(first).toHaveLength(10)
  const second = await shown('&page=2', '2', 1)
  expect(second).toHaveLength(1)
  expect(first).not.toContain(second[0])
  await pager.getByRole('button', { name: 'Page 1', exact: true }).click()
  await expect(listEntries(page, title)).toHaveCount(10)
  expect(await names()).toEqual(first)
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('an operator is sent home and sees no way there', async ({ page }) => {
      await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-list')
      await expect(page).toHaveURL(/\/campaign-home$/)
      await page.getByRole('button', { name: 'Open menu' }).click()
      await expect(page.getByRole('link', { name: 'Home', exact: true })).toBeVisible()
      for (const name of ['Manage Campaigns', 'User management', 'Logs Audit']) await expect(page.getByRole('link', { name })).toHaveCount(0)
    })

    test('each tool says what it is for, the result of a change is filtered and undone, and a file is dropped anywhere', async ({ page }) => {
      const { name, vin } = await ownCampaign(page, 'Undone at once')
      await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign-list?search=${encodeURIComponent(name)}`)
      await expect(listEntries(page, 'Undone at once').first()).toBeVisible()
      for (const words of ['Corrigir um veículo por vez.', 'Alterar vagas, status e observações a partir de um arquivo.', 'Definir ou remover o status de uma lista de VINs.', 'Mover uma lista de veículos para outras vagas.', 'Ver e desfazer importações e alterações em massa.']) {
        await expect(viewport === DESK ? page.getByTitle(words, { exact: true }) : page.getByText(words, { exact: true })).toBeVisible()
      }
      const tool = await openTool(page, 'Status Manager')
      await tool.getByLabel('Campaign').selectOption({ label: name })
      await tool.getByLabel('Status', { exact: true }).selectOption('ng')
      await tool.getByLabel('VIN list').fill([0, 1].map((index) => vin(at(index))).join('\n') + '\nNOBODY 000001')
      await expect(tool.getByText('2 vehicles will be set to ng, 1 not found.')).toBeVisible()
      await tool.getByRole('button', { name: 'Execute' }).click()
      await expect(tool.getByRole('button', { name: 'Updated: 2' })).toBeVisible() // the preview has the same rows
      await expect(tool.getByRole('row', { name: 'Status: — → ng' })).toHaveCount(2)
      await tool.getByRole('button', { name: 'Not found: 1' }).click()
      await expect(tool.getByRole('row', { name: 'NOBODY 000001 not found' })).toBeVisible()
      await expect(tool.getByRole('row', { name: 'Status: — → ng' })).toHaveCount(0)
      await takeWindowScreenshot(page, 'manage-result') // a screenshot of the full page resizes the window for a moment, which resets the tool
      await tool.getByRole('button', { name: /^Undo Status ng/ }).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page.getByRole('dialog')).toContainText('2 veículos restaurados.')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await expect(tool.getByRole('button', { name: /^Undo Status ng/ })).toHaveCount(0)

      const dragged = await page.evaluateHandle(() => {
        const data = new DataTransfer()
        data.items.add(new File(['Model Code,Serial Number,Status\nNOBODY,1,ok'], 'dropped.csv', { type: 'text/csv' }))
        return data
      })
      await page.getByRole('heading', { level: 1 }).dispatchEvent('dragover', { dataTransfer: dragged })
      await expect(page.getByText('Arquivo .csv: abre no CSV Editor e mostra a prévia')).toBeVisible()
      await takeScreenshot(page, 'manage-drag')
      await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: dragged })
      await expect(page).toHaveURL(/tool=csv/)
      await expect(toolOf(page, 'CSV Editor').getByText('dropped.csv')).toBeVisible()
      await expect(toolOf(page, 'CSV Editor').getByText('Vehicles: 0 · To change: 0 · Errors: 1')).toBeVisible()
    })

    test('the status of a pasted list is previewed, set and cleared', async ({ page }) => {
      const { name, vin } = await ownCampaign(page, 'Status list')
      await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-list')
      const tool = await openTool(page, 'Status Manager')
      const execute = tool.getByRole('button', { name: 'Execute' })
      const list = tool.getByLabel('VIN list')
      await expect(execute).toBeDisabled()
      await list.fill(`${vin(at(0))}\n\n  ${vin(at(1)).replace(' ', '\t ')}\nNOBODY 000001`)
      await expect(tool.getByText('Lines read: 3')).toBeVisible()
      await expect(execute).toBeDisabled()
      await tool.getByLabel('Status').selectOption('ok')
      await expect(tool.getByText('2 vehicles will be set to ok, 1 not found.')).toBeVisible()
      await expect(tool.getByRole('cell', { name: '— → ok' })).toHaveCount(2)
      await expect(tool.getByText('NOBODY 000001', { exact: true })).toBeVisible()
      await takeScreenshot(page, 'manage-status')
      await execute.click()
      await expect(page.getByRole('status').getByText('2 vehicles updated, 0 skipped, 1 not found.').first()).toBeVisible()
      await expect(page.getByText('Some VINs not found or without status.')).toBeVisible()
      await list.fill([0, 1, 2].map((index) => vin(at(index))).join('\n'))
      await expect(tool.getByText('1 vehicle will be set to ok, 2 already have this status.')).toBeVisible()
      await execute.click()
      await expect(page.getByText('Vehicles already having the status.')).toBeVisible()
      await tool.getByLabel('Remove').check()
      await list.fill([0, 1, 2, 3].map((index) => vin(at(index))).join('\n'))
      await expect(tool.getByText('3 vehicles will have no status, 1 already without status.')).toBeVisible()
      await expect(tool.getByRole('status').filter({ hasText: 'Saved status that will be removed:' }).getByRole('listitem')).toHaveText(['ok3'])
      await execute.click()
      await expect(tool.getByText('3 vehicles updated, 1 skipped, 0 not found.')).toBeVisible()
      await showCampaigns(page)
      await page.getByRole('searchbox', { name: 'Search Campaign' }).fill(name)
      await expect(campaignRow(page, name)).toContainText('0 / 60')
    })

    test('parking spaces of a pasted list are checked line by line, previewed and changed', async ({ page }) => {
      const { name, vin } = await ownCampaign(page, 'Moves')
      await openAs(page, supervisor, '/campaign-list')
      const tool = await openTool(page, 'Parking Space Manager')
      const list = tool.getByLabel('VIN and parking space list')
      await list.fill(`HB20\n${vin(at(0))}\n\tHB20 A-1\n${vin(at(1))} B-901`)
      await expect(tool.getByText('Line 1: Invalid format defined')).toBeVisible()
      await expect(tool.getByText('Line 2: Parking space not defined')).toBeVisible()
      await expect(tool.getByText('Line 3: VIN not defined')).toBeVisible()
      await expect(tool.getByRole('button', { name: 'Execute' })).toBeDisabled()
      await takeScreenshot(page, 'manage-spaces-errors')
      await list.fill(`${vin(at(0))} - 12\n${vin(at(1))}\t0-15\n${vin(at(2))} ${at(2).space}`)
      await expect(tool.getByText('2 vehicles will change parking space, 1 already in that space.')).toBeVisible()
      await takeScreenshot(page, 'manage-spaces')
      await tool.getByRole('button', { name: 'Execute' }).click()
      await expect(tool.getByText('2 vehicles updated, 1 skipped, 0 not found.')).toBeVisible()

      const editor = await openTool(page, 'Manual Vehicle Editor')
      await expect(editor.getByText(/^Escolha uma campanha/)).toBeVisible()
      await editor.getByLabel('Campaign').selectOption({ label: name })
      await editor.getByRole('searchbox', { name: 'Search By RIP' }).fill('0-15')
      await expect(editor.getByRole('listitem')).toHaveCount(1)
      await takeScreenshot(page, 'manage-editor')
      await editor.getByRole('button', { name: `Edit ${vin(at(1))}` }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Parking Space').fill('C-77')
      await dialog.getByLabel('Status').selectOption('Gate Out')
      await takeScreenshot(page, 'manage-vehicle')
      await dialog.getByRole('button', { name: 'Save vehicle' }).click()
      await expect(page.getByText(`Veículo ${vin(at(1))} atualizado.`)).toBeVisible()
      await editor.getByRole('searchbox').fill('C-77')
      await expect(editor.getByText('Gate Out')).toBeVisible()
    })

    test('campaigns are searched, filtered by yard, opened and deleted after YES', async ({ page }) => {
      const { id, name } = await ownCampaign(page, 'To delete')
      await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-home')
      await page.getByRole('button', { name: 'Open menu' }).click()
      await page.getByRole('link', { name: 'Manage Campaigns' }).click()
      await expect(page.getByRole('main').getByRole('link', { name: 'Create New Campaign' })).toHaveAttribute('href', '/import')
      await expect(page.getByText('or', { exact: true })).toBeVisible()
      await page.getByRole('searchbox', { name: 'Search Campaign' }).fill(name)
      for (const action of [/^(Convert to SQL or d|D)elete /, /^Export all yards of /]) await expect(page.getByRole('button', { name: action })).toHaveCount(1)
      await expect(page.getByLabel(/^Convert XLSX to SQL for /)).toHaveCount(1)
      if (viewport === DESK) await expect(page.getByRole('columnheader')).toHaveText(['View', 'Campaign', 'Created', 'Date', 'Inspected', 'Actions'])
      await expect(listEntries(page, name)).toHaveCount(1)
      await takeScreenshot(page, 'manage')
      await page.getByLabel('Yard', { exact: true }).selectOption('Yard A')
      await expect(page).toHaveURL(new RegExp(`/campaign-list/${YARD_A}$`))
      await page.getByRole('searchbox', { name: 'Search Campaign' }).fill(name)
      await expect(listEntries(page, name)).toContainText(/0 \/ 3/)
      await expectPages(page)
      await page.goto(`/campaign-list?search=${encodeURIComponent(name)}`)
      await page.getByRole('link', { name: `Campaign in progress ${name}` }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${id}/vehicles$`))
      await page.goBack()
      await chooseDeleteCampaign(page, name)
      await expect(page.getByRole('dialog')).toContainText('Os veículos (60) também serão excluídos.')
      await takeScreenshot(page, 'manage-delete')
      await page.getByRole('button', { name: 'NO', exact: true }).click()
      await chooseDeleteCampaign(page, name)
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page.getByText(`Campanha deletada com sucesso "${name}".`)).toBeVisible()
      await expect(page.getByText(`Nenhuma campanha corresponde a "${name}".`)).toBeVisible()
    })
  })
}
