import { expect, test } from './support/test'
import { fetchVehicle, saveVehicle } from './support/campaign'
import { colourOf, colourNameOf } from './support/colours'
import { typeIdentifier, openOtherStatuses, toastOfKind } from './support/parts'
import { supervisor } from './support/people'
import { SIZES, takeScreenshot } from './support/screenshots'
import { getSharedMember } from './support/session'
import { button, exit, grid, next, openVehicleAs, three } from './support/vehiclePage'

const ALL = ['ok', 'ng', 'Not Found', 'Repair', 'Repair OK', 'Gate Out', 'S/OFF BL']
const COLOURS: Record<string, string> = { ok: 'green', ng: 'red', 'Not Found': 'grey', Repair: 'orange', 'Repair OK': 'blue', 'Gate Out': 'grey', 'S/OFF BL': 'purple' }
const ONLY_WITHOUT = /só pode ser escolhido enquanto o veículo estiver sem status/
const NEEDS_STATUS = /só pode ser escolhido depois que o veículo tiver um status/
const NEEDS_REPAIR = /só pode ser escolhido quando o status atual for Repair/
const ONLY_SUPERVISOR = /Só um supervisor pode escolher/
const IS_CURRENT = /já é o status atual/

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('an operator chooses what the stored status allows and sees why not', async ({ page }) => {
      const { headers, first } = await three(page, 'Allowed')
      await openVehicleAs(page, await getSharedMember(page.request, 'op'), first)
      const refused: Record<string, [stored: string, allowed: string[], why: Record<string, RegExp>]> = {
        none: ['', ['ok', 'ng', 'Not Found'], { Repair: NEEDS_STATUS, 'Repair OK': NEEDS_REPAIR, 'Gate Out': ONLY_SUPERVISOR, 'S/OFF BL': ONLY_SUPERVISOR }],
        ng: ['ng', ['Repair'], { ng: IS_CURRENT, ok: ONLY_WITHOUT, 'Not Found': ONLY_WITHOUT, 'Repair OK': NEEDS_REPAIR }],
        Repair: ['Repair', ['Repair OK'], { Repair: IS_CURRENT, ok: ONLY_WITHOUT, ng: ONLY_WITHOUT, 'Not Found': ONLY_WITHOUT }],
      }
      for (const [stored, allowed, why] of Object.values(refused)) {
        if (stored !== '') await saveVehicle(page.request, headers, first.id, { status: stored })
        await page.reload()
        await expect(next(page)).toBeVisible()
        await openOtherStatuses(page)
        for (const status of ALL) await expect(button(page, status), `${status} while ${stored || 'none'}`).toHaveAttribute('aria-disabled', String(!allowed.includes(status)))
        for (const [status, words] of Object.entries(why)) {
          await button(page, status).evaluate((element) => element.scrollIntoView({ block: 'center' }))
          await button(page, status).click({ force: true }) // an aria-disabled button can be tapped
          await expect(button(page, status)).toHaveAccessibleDescription(words)
          await expect(grid(page).getByRole('listitem').filter({ has: page.getByRole('button', { name: status, exact: true }) }).getByText(words)).toContainText(`"${status}"`)
          await expect(button(page, status)).toHaveAttribute('aria-pressed', String(status === stored))
        }
      }
      await takeScreenshot(page, 'vehicle-refused')
      await button(page, 'Repair OK').click()
      await expect(button(page, 'Repair OK')).toHaveAttribute('aria-pressed', 'true')
    })

    test('a supervisor chooses any status at any time, each in its colour', async ({ page }) => {
      const { headers, first } = await three(page, 'Any')
      await saveVehicle(page.request, headers, first.id, { status: 'ng' })
      await openVehicleAs(page, supervisor, first)
      for (const status of ALL) {
        await button(page, status).click()
        await expect(button(page, status)).toHaveAttribute('aria-pressed', 'true')
        expect(colourNameOf(await colourOf(button(page, status), 'color')), status).toBe(COLOURS[status])
      }
      await typeIdentifier(page, first.vin_number)
      await exit(page).click()
      await expect(toastOfKind(page, 'success', 'O veículo foi inspecionado, redirecionando para o pátio...')).toBeVisible()
      expect((await fetchVehicle(page.request, headers, first.id)).status).toBe('S/OFF BL')
    })
  })
}
