import { expect, test } from '@playwright/test'
import { campaignFile, rowsOver } from './support/campaign'
import { downloaded, upload } from './support/parts'
import { unique } from './support/people'
import { SIZES, shot } from './support/screenshots'
import { enter, headersOf, memberOf } from './support/session'
import { COLUMNS, sheetFile } from './support/xlsx'

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a refused sheet comes back with its errors, and the same file may be sent again', async ({ page }) => {
      const leader = await memberOf(page.request, 'tm')
      const rows = [COLUMNS, [unique('To correct'), 'P', 'D', 'H', 'HB20', '000123', 'A-1'], ['', '', '', '', 'HB20', '', '=1+1'], ['', '', '', '', 'HB20', '000123', 'A-2']]
      await enter(page, leader, '/import')
      const file = { ...sheetFile(rows), name: 'cars.xlsx' }
      await upload(page, file)
      await expect(page.getByText(/a coluna Errors é ignorada/)).toBeVisible()
      await shot(page, 'import-correct')
      const { name, content } = await downloaded(page, () => page.getByRole('button', { name: 'Download the sheet with its errors' }).click())
      expect(name).toBe('cars-errors.xlsx')
      await upload(page, { ...file, name, buffer: content })
      await expect(page.getByRole('cell', { name: 'O mesmo veículo está na linha 2.' })).toBeVisible()
    })

    test('a running import is cancelled and leaves nothing', async ({ page }) => {
      const leader = await memberOf(page.request, 'tm')
      let name = ''
      await expect(async () => { // it may be done before it can be cancelled, on a machine that is quicker than its screen
        name = unique('Given up')
        await enter(page, leader, '/import')
        await upload(page, campaignFile(name, rowsOver(60_000)))
        await expect(page.getByRole('progressbar')).toBeVisible()
        await shot(page, 'import-running')
        await page.getByRole('button', { name: 'Cancel import' }).click({ timeout: 5000 })
        await expect(page.getByText('Importação cancelada. Nada foi guardado.')).toBeVisible()
      }).toPass()
      await shot(page, 'import-cancelled')
      const found = await page.request.get(`/api/campaigns?search=${encodeURIComponent(name)}`, { headers: await headersOf(page.request, leader) })
      expect(await found.json()).toMatchObject({ campaigns: [], meta: { total_count: 0 } })
      await upload(page, campaignFile(name, rowsOver(3)))
      await expect(page.getByRole('link', { name: /Open campaign/ })).toBeVisible()
    })
  })
}
