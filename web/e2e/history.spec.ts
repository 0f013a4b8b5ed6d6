import { expect, test } from '@playwright/test'
import { identifierOf, rowsOver, uploaded, type Row } from './support/campaign'
import { unfold } from './support/parts'
import { supervisor, unique } from './support/people'
import { SIZES, shot } from './support/screenshots'
import { enter, headersOf, memberOf } from './support/session'

const rows = rowsOver(30)
const at = (index: number): Row => rows[index] as Row

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a wrong list is undone, what somebody changed since stays, and the import goes at last', async ({ page }) => {
      const [name, model] = [unique('Undone'), `U${Date.now().toString(36).toUpperCase()}`]
      const headers = await headersOf(page.request, supervisor)
      const id = await uploaded(page.request, headers, name, rows, model)
      const vin = (index: number) => identifierOf(at(index), model)
      const leader = await memberOf(page.request, 'tm')
      const asLeader = await headersOf(page.request, leader)
      const set = await page.request.post('/api/vehicles/bulk/status', { headers: asLeader, data: { vins: rows.map((_, index) => vin(index)), action: 'insert', status: 'ng', campaign_id: id } })
      expect(await set.json()).toMatchObject({ updated: 30 })
      const list = (await (await page.request.get(`/api/vehicles/campaign/${id}/all`, { headers })).json()) as { id: number; vin_number: string }[]
      const changed = list.find(({ vin_number }) => vin_number === vin(0))
      await page.request.put(`/api/vehicles/${changed?.id}`, { headers, data: { status: 'ok' } })

      await enter(page, leader, '/campaign-list')
      const tool = await unfold(page, 'History')
      const job = tool.getByRole('listitem').filter({ hasText: name }).filter({ hasText: 'Status ng' })
      await expect(job).toContainText(`30 vehicles · ${name}`)
      await shot(page, 'history')
      const imported = tool.getByRole('listitem').filter({ hasText: name }).filter({ hasText: 'Import of campaign.xlsx' })
      await imported.getByRole('button', { name: /^Undo/ }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog).toContainText(`A campanha ${name} e seus 30 veículos são excluídos`)
      await dialog.getByRole('button', { name: 'YES' }).click()
      await expect(dialog).toContainText('A campanha fica como está, pois 30 de seus veículos foram alterados')
      await dialog.getByRole('button', { name: 'Close' }).click()

      await job.getByRole('button', { name: /^Undo/ }).click()
      await expect(dialog).toContainText('Até 30 veículos voltam a ser como antes')
      await shot(page, 'history-question')
      await dialog.getByRole('button', { name: 'YES' }).click()
      await expect(dialog).toContainText('29 veículos estão como antes.')
      await expect(dialog.getByRole('link', { name: vin(0) })).toHaveAttribute('href', `/vehicle/${changed?.id}`)
      await shot(page, 'history-left')
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(job).toContainText(/Undone by tm.* on .*: 29 vehicles as before\./)
      const progress = await (await page.request.get(`/api/campaigns/${id}`, { headers })).json()
      expect(progress).toMatchObject({ total_vehicles: 30, total_inspected: 1 })
    })

    test('an import nobody worked on goes with its campaign', async ({ page }) => {
      const name = unique('Twice')
      const leader = await memberOf(page.request, 'tm')
      await uploaded(page.request, await headersOf(page.request, leader), name, rows, `T${Date.now().toString(36).toUpperCase()}`)
      await enter(page, leader, '/campaign-list')
      const tool = await unfold(page, 'History')
      const imported = tool.getByRole('listitem').filter({ hasText: name })
      await imported.getByRole('button', { name: /^Undo Import of campaign\.xlsx/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'YES' }).click()
      await expect(dialog).toContainText('A campanha foi excluída com 30 veículos.')
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(imported).toContainText('the campaign is gone.')
      await page.getByRole('searchbox', { name: 'Search Campaign' }).fill(name)
      await expect(page.getByText(new RegExp(`"${name}"`))).toBeVisible()
      await expect(page.getByRole('button', { name: `Delete ${name}` })).toHaveCount(0)
    })
  })
}
