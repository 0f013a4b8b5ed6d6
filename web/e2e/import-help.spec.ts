import { readFile } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { campaignFile, rowsOver } from './support/campaign'
import { unique } from './support/people'
import { SIZES, shot } from './support/screenshots'
import { enter, headersOf, memberOf } from './support/session'
import { workbook } from './support/xlsx'

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const COLUMNS = ['Campaign', 'Part', 'Description', 'Model Type', 'Model Code', 'Serial Number', 'Parking Space']

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a refused sheet comes back with its errors, and the same file may be sent again', async ({ page }) => {
      const leader = await memberOf(page.request, 'tm')
      const rows = [COLUMNS, [unique('To correct'), 'P', 'D', 'H', 'HB20', '000123', 'A-1'], ['', '', '', '', 'HB20', '', '=1+1'], ['', '', '', '', 'HB20', '000123', 'A-2']]
      await enter(page, leader, '/import')
      const file = { name: 'cars.xlsx', mimeType: XLSX, buffer: workbook(rows) }
      await page.getByLabel('Campaign file').setInputFiles(file)
      await page.getByRole('button', { name: 'Upload campaign' }).click()
      await expect(page.getByText(/a coluna Errors é ignorada/)).toBeVisible()
      await shot(page, 'import-correct')
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download the sheet with its errors' }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toBe('cars-errors.xlsx')
      await page.getByLabel('Campaign file').setInputFiles({ ...file, name: 'cars-errors.xlsx', buffer: await readFile(await download.path()) })
      await page.getByRole('button', { name: 'Upload campaign' }).click()
      await expect(page.getByRole('cell', { name: 'the same vehicle stands in row 2' })).toBeVisible()
    })

    test('a running import is cancelled and leaves nothing', async ({ page }) => {
      const leader = await memberOf(page.request, 'tm')
      const name = unique('Given up')
      await enter(page, leader, '/import')
      await page.getByLabel('Campaign file').setInputFiles(campaignFile(name, rowsOver(60_000)))
      await page.getByRole('button', { name: 'Upload campaign' }).click()
      await expect(page.getByRole('progressbar')).toBeVisible()
      await shot(page, 'import-running')
      await page.getByRole('button', { name: 'Cancel import' }).click()
      await expect(page.getByText('Importação cancelada. Nada foi guardado.')).toBeVisible()
      await shot(page, 'import-cancelled')
      const found = await page.request.get(`/api/campaigns?search=${encodeURIComponent(name)}`, { headers: await headersOf(page.request, leader) })
      expect(await found.json()).toMatchObject({ campaigns: [], meta: { total_count: 0 } })
      await page.getByLabel('Campaign file').setInputFiles(campaignFile(name, rowsOver(3)))
      await page.getByRole('button', { name: 'Upload campaign' }).click()
      await expect(page.getByRole('link', { name: /Open campaign/ })).toBeVisible()
    })
  })
}
