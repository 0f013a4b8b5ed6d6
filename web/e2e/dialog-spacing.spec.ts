import { expect, test, type Locator } from './support/test'
import { createRowsInYard, importUniqueCampaign } from './support/campaign'
import { chooseDeleteCampaign, chooseRowAction, openTool } from './support/parts'
import { supervisor } from './support/people'
import { DESK, PHONE } from './support/screenshots'
import { createMember, getHeaders, openAs } from './support/session'

/** Minimum distance in pixels between a button that destroys data and any other button. */
const MIN_GAP_PX = 12
/** Minimum distance in pixels between the save button of a form and a button that drops what was entered. */
const MIN_DISCARD_GAP_PX = 24

/** Returns the distance in pixels between the edges of two elements. */
async function gapBetween(one: Locator, other: Locator): Promise<number> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()]
  if (!a || !b) throw new Error('an element is not visible')
  const between = (start: number, size: number, otherStart: number, otherSize: number) => Math.max(otherStart - start - size, start - otherStart - otherSize, 0)
  return Math.hypot(between(a.x, a.width, b.x, b.width), between(a.y, a.height, b.y, b.height))
}

for (const viewport of [PHONE, DESK]) {
  test.describe(`${viewport.width} pixels wide`, () => {
    test.use({ viewport })

    test('buttons that delete, end or drop something are apart from the others, and last in the order of focus', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const { name } = await importUniqueCampaign(page.request, headers, 'Apart', createRowsInYard('A', 2))
      const person = await createMember(page.request, 'op')
      const dialog = page.getByRole('dialog')
      const button = (label: string | RegExp) => dialog.getByRole('button', { name: label })

      await test.step('the deletion of a campaign', async () => {
        await openAs(page, supervisor, `/campaign-list?search=${encodeURIComponent(name)}`)
        await chooseDeleteCampaign(page, name)
        expect(await gapBetween(button('NO'), button('YES'))).toBeGreaterThanOrEqual(MIN_GAP_PX)
        await expect(dialog).toContainText('Nenhum veículo foi inspecionado ainda.')
        await button('NO').click()
      })
      await test.step('the form of a vehicle', async () => {
        const tool = await openTool(page, 'Manual Vehicle Editor')
        await tool.getByLabel('Campaign').selectOption(name)
        await tool.getByRole('button', { name: /^Edit / }).first().click()
        expect(await gapBetween(button('Save'), button('Cancel'))).toBeGreaterThanOrEqual(MIN_DISCARD_GAP_PX)
        await expect(dialog.getByRole('button').last()).toHaveText('Cancel')
      })
      await test.step('the sessions of a user', async () => {
        await getHeaders(page.request, person)
        await openAs(page, supervisor, '/user-management?panel=active')
        await page.getByRole('searchbox', { name: 'Search by HMC' }).fill(person.hmc)
        await chooseRowAction(page, person.hmc, `Sessions of ${person.hmc}`)
        const endAll = button('End all')
        for (const other of ['Close', /^End the session/]) expect(await gapBetween(button(other).first(), endAll)).toBeGreaterThanOrEqual(MIN_DISCARD_GAP_PX)
        await expect(dialog.getByRole('button').last()).toHaveText('End all')
      })
    })
  })
}
