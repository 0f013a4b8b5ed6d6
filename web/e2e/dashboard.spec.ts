import { expect, test } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle } from './support/campaign'
import { colourOf } from './support/colours'
import { chooseMenuAction } from './support/campaignActions'
import { supervisor } from './support/people'
import { DESK, takeScreenshot, takeWindowScreenshot } from './support/screenshots'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'

test.use({ viewport: DESK })

test('the campaign shows its work over time as it happens, and what a due date needs', async ({ page }) => {
  const campaign = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Over time', [...createRowsInYard('A', 6), ...createRowsInYard('B', 2, 101)])
  const operator = await getHeaders(page.request, await createMember(page.request, 'op'))
  await saveVehicle(page.request, operator, campaign.vehicles[0]?.id ?? 0, { status: 'ok' })
  const live = page.waitForResponse((response) => response.url().endsWith('/api/events'))
  await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign/${campaign.id}`)
  await live // changes before it are not announced
  const charts = page.getByRole('region', { name: 'Progress over time' })
  const progress = charts.getByRole('img', { name: /^\d de 8 inspecionados/ })
  await expect(progress).toHaveAccessibleName(/^1 de 8 inspecionados/)
  await saveVehicle(page.request, operator, campaign.vehicles[1]?.id ?? 0, { status: 'ng' })
  await expect(progress).toHaveAccessibleName(/^2 de 8 inspecionados/)
  await expect(page.getByRole('img', { name: /Yard A.*: ok 1, ng 1, faltam 4$/ })).toBeVisible()
  await takeWindowScreenshot(page, 'dashboard')
  await charts.getByRole('button', { name: 'Show as table' }).click()
  await expect(charts.getByRole('table')).toHaveCount(2)
  await chooseMenuAction(page, 'Set due date')
  const dialog = page.getByRole('dialog', { name: 'Due date' })
  const [frame, title, cancel, save] = await Promise.all([dialog, dialog.getByRole('heading'), dialog.getByRole('button', { name: 'Cancel' }), dialog.getByRole('button', { name: 'Save' })].map((part) => part.boundingBox()))
  expect((title?.x ?? 0) - (frame?.x ?? 0), 'the padding of every dialog').toBe(21)
  expect(save?.width).toBe(cancel?.width)
  await dialog.getByLabel('Finish by').fill(`${new Date().getFullYear() + 1}-12-24T17:00`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(charts.getByText(/É necessário 1 veículo por hora até/)).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await takeScreenshot(page, 'dashboard-desk')
})

test('home shows team leaders the work of all campaigns, and operators none of it', async ({ page }) => {
  await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-home')
  await expect(page.getByRole('region', { name: 'Progress over time' })).toBeVisible()
  await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
  await expect(page.getByRole('table')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Progress over time' })).toHaveCount(0)
})

test('in the dark, fills of charts are darker than texts, and ok is quieter than ng', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'Dark', createRowsInYard('A', 3))
  for (const [index, status] of ['ok', 'ng'].entries()) await saveVehicle(page.request, headers, vehicles[index]?.id ?? 0, { status })
  await page.emulateMedia({ colorScheme: 'dark' })
  await openAs(page, supervisor, `/campaign/${id}`)
  const bar = page.getByRole('img', { name: /Yard A.*: ok 1, ng 1, falta 1$/ })
  const text = page.getByRole('listitem').filter({ hasText: /^ng 1/ })
  const [ok, ng, word] = [await colourOf(bar.locator('rect').nth(0), 'color'), await colourOf(bar.locator('rect').nth(1), 'color'), await colourOf(text, 'color')]
  expect(ng.lightness).toBeLessThan(word.lightness - 0.1)
  expect(ok.lightness).toBeLessThan(ng.lightness - 0.1)
})
