import { expect, test } from './support/test'
import { campaignFile, campaignOf, rowsOver } from './support/campaign'
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
      await expect(page.getByText(/A coluna Errors é ignorada/)).toBeVisible()
      await shot(page, 'import-correct')
      const { name, content } = await downloaded(page, () => page.getByRole('button', { name: 'Download the sheet with errors marked' }).click())
      expect(name).toBe('cars-errors.xlsx')
      await upload(page, { ...file, name, buffer: content })
      await expect(page.getByRole('cell', { name: 'Mesmo veículo da linha 2.' })).toBeVisible()
    })

    test('the seven columns are shown before the first try, and the last five imports below', async ({ page }) => {
      const leader = await memberOf(page.request, 'tm')
      const headers = await headersOf(page.request, leader)
      const names: string[] = []
      for (let n = 0; n < 6; n++) names.unshift((await campaignOf(page.request, headers, `Imported ${n}`, rowsOver(2))).name)
      await enter(page, leader, '/import')
      const columns = page.getByRole('table', { name: 'The seven columns' })
      await expect(columns.getByRole('rowheader')).toHaveText(COLUMNS)
      const last = page.getByRole('region', { name: 'Last imports' }).getByRole('listitem')
      await expect(last).toHaveCount(5)
      const shown = await last.allTextContents()
      const own = names.filter((name) => shown.some((line) => line.includes(name))) // other tests import at the same time
      expect(own).toEqual(names.slice(0, own.length))
      expect(shown.filter((line) => own.some((name) => line.includes(name))).map((line) => own.findIndex((name) => line.includes(name)))).toEqual(own.map((_, index) => index))
      expect(own.length).toBeGreaterThan(0)
      await shot(page, 'import')
      await last.getByRole('link', { name: names[0] }).click()
      await expect(page.getByRole('heading', { name: names[0] })).toBeVisible()
    })

    test('a running import is cancelled and leaves nothing', async ({ page }) => {
      const leader = await memberOf(page.request, 'tm')
      let name = ''
      await expect(async () => { // the import may finish before the click on Cancel
        name = unique('Given up')
        await enter(page, leader, '/import')
        await upload(page, campaignFile(name, rowsOver(60_000)))
        await expect(page.getByRole('progressbar')).toBeVisible()
        await shot(page, 'import-running')
        await page.getByRole('button', { name: 'Cancel import' }).click({ timeout: 5000 })
        await expect(page.getByText('Importação cancelada. Nada foi importado.')).toBeVisible()
      }).toPass()
      await shot(page, 'import-cancelled')
      const found = await page.request.get(`/api/campaigns?search=${encodeURIComponent(name)}`, { headers: await headersOf(page.request, leader) })
      expect(await found.json()).toMatchObject({ campaigns: [], meta: { total_count: 0 } })
      await upload(page, campaignFile(name, rowsOver(3)))
      await expect(page.getByRole('link', { name: /Open campaign/ })).toBeVisible()
    })
  })
}
