import { expect, test, type Locator } from './support/test'
import { vinOf, createRowsInAllYards, importCampaign, type CampaignRow } from './support/campaign'
import { campaignRow, showCampaigns, openTool } from './support/parts'
import { supervisor, uniqueName } from './support/people'
import { DESK, SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const rows = createRowsInAllYards(30)
const at = (index: number): CampaignRow => rows[index] as CampaignRow

/** Returns the entries of the history that contain these words: table rows on a desk, cards on a phone. */
const jobsOf = (tool: Locator, words: string | RegExp) => tool.locator('tbody tr, ul > li').filter({ hasText: words })

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a wrong list is undone, what somebody changed since stays, and the import goes at last', async ({ page }) => {
      const [name, model] = [uniqueName('Undone'), `U${Date.now().toString(36).toUpperCase()}`]
      const headers = await getHeaders(page.request, supervisor)
      const id = await importCampaign(page.request, headers, name, rows, model)
      const vin = (index: number) => vinOf(at(index), model)
      const leader = await getSharedMember(page.request, 'tm')
      const asLeader = await getHeaders(page.request, leader)
      const set = await page.request.post('/api/vehicles/bulk/status', { headers: asLeader, data: { vins: rows.map((_, index) => vin(index)), action: 'insert', status: 'ng', campaign_id: id } })
      expect(await set.json()).toMatchObject({ updated: 30 })
      const list = (await (await page.request.get(`/api/vehicles/campaign/${id}/all`, { headers })).json()) as { id: number; vin_number: string }[]
      const changed = list.find(({ vin_number }) => vin_number === vin(0))
      await page.request.put(`/api/vehicles/${changed?.id}`, { headers, data: { status: 'ok' } })

      await openAs(page, leader, '/campaign-list')
      const tool = await openTool(page, 'History')
      await tool.getByRole('searchbox').fill(name) // other tests import at the same time
      const job = jobsOf(tool, name).filter({ hasText: 'Status ng' })
      if (viewport === DESK) await expect(job.getByRole('cell')).toContainText(['Status ng', '30', name, leader.hmc, '', 'Undo'])
      else await expect(job).toContainText(`30 vehicles · ${name}`)
      if (viewport === DESK) {
        await page.setViewportSize({ width: 1024, height: DESK.height })
        const [change, campaign] = await job.getByRole('cell').evaluateAll((cells) => cells.filter((_, index) => index === 0 || index === 2).map((cell) => cell.getBoundingClientRect().width))
        expect(campaign, 'the campaigns are not squeezed').toBeGreaterThan((change ?? 999) * 0.8)
        await page.setViewportSize(DESK)
      }
      await expect(jobsOf(tool, /./)).toHaveCount(2)
      await tool.getByRole('group', { name: 'Kind of change' }).getByRole('button', { name: /^Status/ }).click()
      await expect(jobsOf(tool, /./)).toHaveCount(1)
      await tool.getByRole('group', { name: 'Kind of change' }).getByRole('button', { name: /^All/ }).click()
      await takeScreenshot(page, 'history')
      const imported = jobsOf(tool, name).filter({ hasText: 'Import of campaign.xlsx' })
      await expect(imported).toContainText('Não pode ser desfeita: já há veículos inspecionados.')
      await expect(imported.getByRole('button')).toHaveCount(0)

      const dialog = page.getByRole('dialog')
      await job.getByRole('button', { name: /^Undo/ }).click()
      await expect(dialog).toContainText('Restaura status, vaga e observações (veículos: até 30)')
      await takeScreenshot(page, 'history-question')
      await dialog.getByRole('button', { name: 'YES' }).click()
      await expect(dialog).toContainText('29 veículos restaurados.')
      await expect(dialog.getByRole('link', { name: vin(0) })).toHaveAttribute('href', `/vehicle/${changed?.id}`)
      await takeScreenshot(page, 'history-left')
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(job).toContainText(/Undone by tm.* on .*\. Vehicles restored: 29\./)
      await expect(imported).toContainText('Não pode ser desfeita: já há veículos inspecionados.')
      const progress = await (await page.request.get(`/api/campaigns/${id}`, { headers })).json()
      expect(progress).toMatchObject({ total_vehicles: 30, total_inspected: 1 })
    })

    test('an import whose vehicles were moved is refused with the reason, and undone once the move is undone', async ({ page }) => {
      const [name, model] = [uniqueName('Moved'), `M${Date.now().toString(36).toUpperCase()}`]
      const leader = await getSharedMember(page.request, 'tm')
      const headers = await getHeaders(page.request, leader)
      const id = await importCampaign(page.request, headers, name, rows, model)
      const moved = await page.request.post('/api/vehicles/bulk/parking-space', { headers, data: { rows: [{ vin: vinOf(at(0), model), parking_space: 'A-900' }], campaign_id: id } })
      expect(await moved.json()).toMatchObject({ updated: 1 })
      const dialog = page.getByRole('dialog')
      const open = async () => {
        const tool = await openTool(page, 'History')
        await tool.getByRole('searchbox').fill(name) // other tests import at the same time
        return { imported: jobsOf(tool, name).filter({ hasText: 'Import of' }), change: jobsOf(tool, name).filter({ hasText: 'Parking spaces' }) }
      }
      const confirmUndo = async (job: Locator, result: string) => {
        await job.getByRole('button', { name: /^Undo/ }).click()
        await dialog.getByRole('button', { name: 'YES' }).click()
        await expect(dialog).toContainText(result)
        await dialog.getByRole('button', { name: 'Close' }).click()
      }
      await openAs(page, leader, '/campaign-list')
      const { imported, change } = await open()
      await confirmUndo(imported, 'Campanha não excluída. Veículos alterados depois da importação: 1.')
      await takeScreenshot(page, 'history-refused')
      await confirmUndo(change, '1 veículo restaurado.')
      await confirmUndo(imported, 'Campanha excluída.')
    })

    test('an import nobody worked on goes with its campaign', async ({ page }) => {
      const name = uniqueName('Twice')
      const leader = await getSharedMember(page.request, 'tm')
      await importCampaign(page.request, await getHeaders(page.request, leader), name, rows, `T${Date.now().toString(36).toUpperCase()}`)
      await openAs(page, leader, '/campaign-list')
      const tool = await openTool(page, 'History')
      await tool.getByRole('searchbox').fill(name) // other tests import at the same time
      const imported = jobsOf(tool, name)
      await imported.getByRole('button', { name: /^Undo Import of campaign\.xlsx/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'YES' }).click()
      await expect(dialog).toContainText('Campanha excluída. Veículos excluídos: 30.')
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(imported).toContainText('The campaign was deleted.')
      await showCampaigns(page)
      await page.getByRole('searchbox', { name: 'Search Campaign' }).fill(name)
      await expect(page.getByText(new RegExp(`"${name}"`))).toBeVisible()
      await expect(campaignRow(page, name)).toHaveCount(0)
    })
  })
}
