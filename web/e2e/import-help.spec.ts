import { expect, test } from './support/test'
import { createCampaignFile, importUniqueCampaign, createRowsInAllYards } from './support/campaign'
import { captureDownload, uploadFile } from './support/parts'
import { uniqueName } from './support/people'
import { SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'
import { COLUMNS, createWorkbookFile } from './support/xlsx'

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a refused sheet comes back with its errors, and the same file may be sent again', async ({ page }) => {
      const leader = await getSharedMember(page.request, 'tm')
      const rows = [COLUMNS, [uniqueName('To correct'), 'P', 'D', 'H', 'HB20', '000123', 'A-1'], ['', '', '', '', 'HB20', '', '=1+1'], ['', '', '', '', 'HB20', '000123', 'A-2']]
      await openAs(page, leader, '/import')
      const file = { ...createWorkbookFile(rows), name: 'cars.xlsx' }
      await uploadFile(page, file)
      await expect(page.getByText(/A coluna Errors é ignorada/)).toBeVisible()
      await takeScreenshot(page, 'import-correct')
      const { name, content } = await captureDownload(page, () => page.getByRole('button', { name: 'Download the spreadsheet with errors marked' }).click())
      expect(name).toBe('cars-errors.xlsx')
      await uploadFile(page, { ...file, name, buffer: content })
      await expect(page.getByRole('cell', { name: 'Mesmo veículo da linha 2.' })).toBeVisible()
    })

    test('the seven columns are shown before the first try, and the last five imports below', async ({ page }) => {
      const leader = await getSharedMember(page.request, 'tm')
      const headers = await getHeaders(page.request, leader)
      const names: string[] = []
      for (let n = 0; n < 6; n++) names.unshift((await importUniqueCampaign(page.request, headers, `Imported ${n}`, createRowsInAllYards(2))).name)
      await openAs(page, leader, '/import')
      const columns = page.getByRole('table', { name: 'The seven columns' })
      await expect(columns.getByRole('rowheader')).toHaveText(COLUMNS)
      const last = page.getByRole('region', { name: 'Last imports' }).getByRole('listitem')
      await expect(last).toHaveCount(5)
      await expect(async () => { // other tests may import five campaigns before the page is loaded
        names.unshift((await importUniqueCampaign(page.request, headers, 'Imported again', createRowsInAllYards(2))).name)
        await openAs(page, leader, '/import')
        await expect(last.filter({ hasText: names[0] })).toHaveCount(1, { timeout: 3000 })
      }).toPass()
      const shown = await last.allTextContents()
      const own = names.filter((name) => shown.some((line) => line.includes(name))) // other tests import at the same time
      expect(own).toEqual(names.slice(0, own.length))
      expect(shown.filter((line) => own.some((name) => line.includes(name))).map((line) => own.findIndex((name) => line.includes(name)))).toEqual(own.map((_, index) => index))
      expect(own.length).toBeGreaterThan(0)
      await takeScreenshot(page, 'import')
      await last.getByRole('link', { name: names[0] }).click()
      await expect(page.getByRole('heading', { name: names[0] })).toBeVisible()
    })

    test('a running import is cancelled and leaves nothing', async ({ page }) => {
      const leader = await getSharedMember(page.request, 'tm')
      let name = ''
      await expect(async () => { // the import may finish before the click on Cancel
        name = uniqueName('Given up')
        await openAs(page, leader, '/import')
        await uploadFile(page, createCampaignFile(name, createRowsInAllYards(60_000)))
        await expect(page.getByRole('progressbar')).toBeVisible()
        await takeScreenshot(page, 'import-running')
        await page.getByRole('button', { name: 'Cancel import' }).click({ timeout: 5000 })
        await expect(page.getByText('Importação cancelada. Nada foi importado.')).toBeVisible()
      }).toPass()
      await takeScreenshot(page, 'import-cancelled')
      const found = await page.request.get(`/api/campaigns?search=${encodeURIComponent(name)}`, { headers: await getHeaders(page.request, leader) })
      expect(await found.json()).toMatchObject({ campaigns: [], meta: { total_count: 0 } })
      await uploadFile(page, createCampaignFile(name, createRowsInAllYards(3)))
      await expect(page.getByRole('link', { name: /Open campaign/ })).toBeVisible()
    })
  })
}
