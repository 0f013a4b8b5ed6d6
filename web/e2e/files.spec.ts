import { expect, test, type Page } from './support/test'
import { createCampaignFile, importUniqueCampaign, vinOf, createRowsInAllYards, type CampaignRow } from './support/campaign'
import { captureDownload, getOverflowWidth, holdRequest, listEntries, openTool } from './support/parts'
import { supervisor } from './support/people'
import { DESK, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'
import { readSheets } from './support/xlsx'

const rows = createRowsInAllYards(30)
const HEADER = 'Model Code;Serial Number;Parking Space;Status;Team Leader Notes'
const at = (index: number): CampaignRow => rows[index] as CampaignRow

/** Imports a campaign for this test only, with VINs that no other campaign has. */
const ownCampaign = async (page: Page, title: string) => importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), title, rows)
const REPORT_COLUMNS = ['VIN Number', 'Model Code', 'Serial Number', 'Parking Space', 'Yard', 'Status', 'Inspected', 'Team Leader Notes', 'Supervisor Notes', 'Modified By', 'Modified At (UTC-3)']
const csv = (...lines: string[]) => ({ name: 'changes.csv', mimeType: 'text/csv', buffer: Buffer.from([HEADER, ...lines].join('\r\n')) })

test.use({ viewport: DESK })

test('the vehicles of a campaign are exported, by a team leader and not by an operator', async ({ page }) => {
  const { id, name, model } = await ownCampaign(page, 'Report')
  const button = page.getByRole('button', { name: 'Export Vehicles List Data' })
  await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${id}`)
  await expect(page.getByRole('heading', { name })).toBeVisible()
  await expect(button).toHaveCount(0)
  await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign/${id}`)
  const report = await captureDownload(page, () => button.click())
  expect(report.name).toMatch(/^report_Report.*\.xlsx$/)
  const [sheet, ...others] = readSheets(report.content)
  expect(others).toEqual([])
  expect(sheet?.rows[0]).toEqual(REPORT_COLUMNS)
  const exported = sheet?.rows.slice(1) ?? []
  expect(exported).toHaveLength(rows.length)
  for (const row of rows) expect(exported.find((cells) => cells[2] === row.serial)?.slice(0, 4)).toEqual([vinOf(row, model), model, row.serial, row.space])
  await takeScreenshot(page, 'campaign-export')
})

test('all yards are exported and a workbook is converted to SQL from the row of a campaign', async ({ page }) => {
  const { name, model } = await ownCampaign(page, 'Rows')
  await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign-list?search=${encodeURIComponent(name)}`)
  const convert = page.getByLabel(`Convert XLSX to SQL for ${name}`)
  const yards = await captureDownload(page, () => page.getByRole('button', { name: `Export all yards of ${name} as XLSX` }).click())
  expect(yards.name).toMatch(/\.xlsx$/)
  const [summary, ...sheets] = readSheets(yards.content)
  expect(summary?.rows.flat()).toEqual(expect.arrayContaining(['Yard', 'Vehicles', 'Inspected', 'Remaining']))
  expect(sheets).toHaveLength(new Set(rows.map(({ space }) => space.charAt(0))).size)
  const exported = sheets.flatMap((sheet) => sheet.rows.filter((cells) => cells[1] === model).map((cells) => cells[0]))
  expect(exported.toSorted()).toEqual(rows.map((row) => vinOf(row, model)).toSorted())
  await expect(convert).not.toHaveAttribute('multiple')
  const script = await captureDownload(page, () => convert.setInputFiles(createCampaignFile('Another name', rows, model)))
  expect(script.name).toBe(`${name} SQL Data.sql`)
  expect(script.content.toString()).toContain(name)
  await convert.setInputFiles({ ...createCampaignFile(name, rows), buffer: Buffer.from('no workbook') })
  await expect(page.getByRole('alert')).toContainText(`${name}: `)
})

test('a CSV file is previewed, held by its errors, executed, and the vehicle is changed', async ({ page }) => {
  const { id, model } = await ownCampaign(page, 'Changes')
  const [first, second] = [at(0), at(1)]
  await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-list')
  const tool = await openTool(page, 'CSV Editor')
  const file = tool.getByLabel('CSV file')
  const execute = tool.getByRole('button', { name: 'Execute' })
  await expect(execute).toBeDisabled()

  await file.setInputFiles({ ...csv(), name: 'changes.txt' })
  await expect(tool.getByText('Apenas arquivos CSV (.csv) são suportados.')).toBeVisible()
  await file.setInputFiles({ ...csv(), buffer: Buffer.alloc(5_242_881, 'x') })
  await expect(tool.getByText('O arquivo deve ter no máximo 5MB.')).toBeVisible()
  const answer = await holdRequest(page, '**/api/vehicles/csv/validate')
  await file.setInputFiles(csv(`${model};${first.serial};C-901;ok;`, `${model};;;ok;`, 'NOBODY;000001;;ok;'))
  await expect(tool.getByRole('status')).toBeVisible()
  await expect(execute).toBeDisabled()
  await takeScreenshot(page, 'manage-csv-loading')
  answer()
  await expect(tool.getByText('line 3 requires both Model Code and Serial Number')).toBeVisible()
  await expect(tool.getByText(/Errors: [12]$/)).toBeVisible()
  await expect(execute).toBeDisabled()
  await takeScreenshot(page, 'manage-csv-errors')
  await tool.getByRole('button', { name: 'Clear' }).click()
  await expect(tool.getByRole('alert')).toHaveCount(0)
  await expect(tool.getByText(/^Vehicles: /)).toHaveCount(0)
  await expect(tool.getByText('changes.csv')).toHaveCount(0)
  await expect(file).toHaveValue('')
  await expect(execute).toBeDisabled()
  await expect(tool.getByRole('button', { name: 'Clear' })).toBeDisabled()

  await file.setInputFiles(csv(`${model};${first.serial};C-901;ok;seen by hand`, `${model};${second.serial};${second.space};;`))
  await expect(tool.getByText('Vehicles: 2 · To change: 1 · Errors: 0')).toBeVisible()
  const previewed = (row: CampaignRow) => tool.locator('tbody').filter({ hasText: vinOf(row, model) })
  await expect(previewed(first)).toContainText(`${first.space} → C-901`)
  await expect(previewed(first)).toContainText('Inspected: No → Yes')
  await expect(previewed(second)).toContainText('No change')
  await takeScreenshot(page, 'manage-csv')
  expect(await getOverflowWidth(page)).toBeLessThanOrEqual(0)
  await execute.click()
  await expect(tool.getByText('1 vehicle updated.')).toBeVisible()
  await expect(execute).toBeDisabled()
  await page.goto(`/campaign/${id}/vehicles`)
  await page.getByRole('searchbox').fill('C-901')
  const vehicle = listEntries(page, vinOf(first, model))
  await expect(vehicle).toContainText('C-901')
  await expect(vehicle).toContainText(/ok/i)
})
