import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle, fetchVehicle, type Vehicle } from './support/campaign'
import { colourOf, colourNameOf } from './support/colours'
import { holdRequest, typeIdentifier, recordNavigationTimes, openNotes, openOtherStatuses, getNavigationTimes, toastOfKind } from './support/parts'
import { supervisor, type Person } from './support/people'
import { SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const ALL = ['ok', 'ng', 'Not Found', 'Repair', 'Repair OK', 'Gate Out', 'S/OFF BL']
const COLOURS: Record<string, string> = { ok: 'green', ng: 'red', 'Not Found': 'grey', Repair: 'orange', 'Repair OK': 'blue', 'Gate Out': 'grey', 'S/OFF BL': 'purple' }
const ONLY_WITHOUT = /só pode ser escolhido enquanto o veículo estiver sem status/
const NEEDS_STATUS = /só pode ser escolhido depois que o veículo tiver um status/
const NEEDS_REPAIR = /só pode ser escolhido quando o status atual for Repair/
const ONLY_SUPERVISOR = /Só um supervisor pode escolher/
const IS_CURRENT = /já é o status atual/

/** Time limit for the response of the server and one frame, far below the 3.1 s delay before the next vehicle. */
const AT_ONCE_MS = 1500

const grid = (page: Page) => page.getByRole('group', { name: 'Select Status' })
const button = (page: Page, status: string) => grid(page).getByRole('button', { name: status, exact: true })
const next = (page: Page) => page.getByRole('button', { name: 'Save and Go Next' })
const exit = (page: Page) => page.getByRole('button', { name: 'Save and Exit' })
const notes = (page: Page) => page.getByLabel('Operator / Team Leader Notes')

/** Imports a campaign with three vehicles in yard K. */
async function three(page: Page, title: string) {
  const headers = await getHeaders(page.request, supervisor)
  const campaign = await importUniqueCampaign(page.request, headers, title, createRowsInYard('K', 3))
  const [first, second, third] = campaign.vehicles as [Vehicle, Vehicle, Vehicle]
  return { headers, campaign, first, second, third }
}

async function openVehicleAs(page: Page, person: Person, { id }: Vehicle): Promise<void> {
  await openAs(page, person, `/vehicle/${id}`)
  await expect(next(page)).toBeVisible()
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('five steps, three buttons, and who changed the vehicle last', async ({ page }) => {
      const { headers, first } = await three(page, 'Steps')
      const answer = await holdRequest(page, `**/api/vehicles/${first.id}*`)
      const operator = await getSharedMember(page.request, 'op')
      await openAs(page, operator, `/vehicle/${first.id}`)
      await expect(page.getByText('... loading')).toBeVisible()
      await takeScreenshot(page, 'vehicle-loading')
      answer()
      await expect(page.getByRole('heading', { level: 2 })).toContainText(['Validate Inspection', 'Review Vehicle Details', 'Select Status', 'Insert Notes', 'Review and Select an option'])
      for (const name of ['Save and Go Next', 'Save and Exit', 'Cancel']) await expect(page.getByRole('button', { name })).toBeVisible()
      await expect(page.getByText('Ainda sem alterações.')).toBeVisible()
      await saveVehicle(page.request, headers, first.id, { status: 'ok' })
      await page.reload()
      const { modified_at, modified_by } = await fetchVehicle(page.request, headers, first.id)
      const at = new Date(new Date(String(modified_at)).getTime() - 3 * 3_600_000).toISOString()
      const [year, month, day] = at.slice(0, 10).split('-')
      await expect(page.getByText(`Última modificação pelo ID: ${String(modified_by)} - ${supervisor.hmc}, em ${day}/${month}/${year} às ${at.slice(11, 19)} (UTC-3).`)).toBeVisible()
      await takeScreenshot(page, 'vehicle-changed')
    })

    test('saving waits for an identifier that is part of the VIN, and going on for a next vehicle', async ({ page }) => {
      const { headers, campaign, first, second, third } = await three(page, 'Identified')
      await openVehicleAs(page, await getSharedMember(page.request, 'op'), first)
      await expect(next(page)).toBeDisabled()
      await expect(exit(page)).toBeDisabled()
      await expect(page.getByText('Leia ou digite o VIN para salvar.')).toBeVisible()
      await expect(page.getByLabel('Vehicle identifier')).not.toBeEditable()
      await typeIdentifier(page, '999')
      await expect(page.getByText('Ainda não confere com este veículo.')).toBeVisible()
      await typeIdentifier(page, '99999999')
      await expect(page.getByText(/não está nesta campanha/)).toBeVisible()
      await expect(next(page)).toBeDisabled()
      await typeIdentifier(page, second.vin_number)
      await expect(page.getByText('Este é outro veículo desta campanha:')).toBeVisible()
      await takeScreenshot(page, 'vehicle-another')
      await typeIdentifier(page, first.vin_number.slice(-4).toLowerCase())
      await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
      await expect(next(page)).toBeEnabled()
      await expect(exit(page)).toBeEnabled()
      await takeScreenshot(page, 'vehicle-identified')
      for (const { id } of [second, third]) await saveVehicle(page.request, headers, id, { status: 'ok' })
      await page.reload()
      await expect(page.getByText('Este é o último veículo: use Save and Exit.')).toBeVisible()
      await expect(next(page)).toBeDisabled()
      await button(page, 'ok').click()
      await recordNavigationTimes(page)
      await exit(page).click()
      await expect(toastOfKind(page, 'success', 'O veículo foi inspecionado, redirecionando para o pátio...')).toBeVisible()
      await expect(page).toHaveURL(new RegExp(`/campaign/${campaign.id}$`))
      const { tapped, gone } = await getNavigationTimes(page)
      expect(gone - tapped).toBeLessThan(AT_ONCE_MS)
      await expect.poll(async () => (await fetchVehicle(page.request, headers, first.id)).inspected).toBe(true)
    })

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

    test('notes are written by right', async ({ page }) => {
      const { headers, first } = await three(page, 'Notes')
      await saveVehicle(page.request, headers, first.id, { admin_notes: 'seen by QC' })
      for (const type of ['op', 'tm'] as const) {
        await openVehicleAs(page, await getSharedMember(page.request, type), first)
        await openNotes(page)
        await expect(notes(page)).toBeEditable()
        await expect(page.locator('dl').filter({ hasText: 'QC / Supervisor Notes' })).toContainText('seen by QC')
        await expect(page.getByLabel('QC / Supervisor Notes')).toHaveCount(0)
        await expect(page.getByRole('button', { name: /^Edit / })).toHaveCount(0)
      }
      await openVehicleAs(page, supervisor, first)
      await page.getByLabel('QC / Supervisor Notes').fill('seen twice')
      await (await openNotes(page)).fill('left door')
      await typeIdentifier(page, first.vin_number)
      await exit(page).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page).toHaveURL(/\/campaign\//)
      await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject({ admin_notes: 'seen twice', operator_notes: 'left door' })
    })

    test('a supervisor edits VIN and parking space in place: Enter saves, Escape cancels', async ({ page }) => {
      const { headers, campaign, first } = await three(page, 'In place')
      await openVehicleAs(page, supervisor, first)
      const vin = page.getByRole('textbox', { name: 'VIN Number' })
      await page.getByRole('button', { name: `Edit VIN Number: ${first.vin_number}` }).press('Enter')
      await vin.fill('no')
      await vin.press('Enter')
      await expect(page.getByText('Use model code, one space, serial number')).toBeVisible()
      await takeScreenshot(page, 'vehicle-inline')
      await vin.press('Escape')
      await expect(page.getByRole('button', { name: `Edit VIN Number: ${first.vin_number}` })).toBeVisible()
      const renamed = `${campaign.model} 777777`
      await page.getByRole('button', { name: /^Edit VIN Number/ }).click()
      await vin.fill(renamed)
      await vin.press('Enter')
      await page.getByRole('button', { name: /^Edit Parking Space/ }).click()
      await page.getByRole('textbox', { name: 'Parking Space' }).fill('b-77')
      await page.getByRole('textbox', { name: 'Parking Space' }).press('Enter')
      await typeIdentifier(page, first.vin_number)
      await expect(exit(page)).toBeDisabled()
      await typeIdentifier(page, renamed)
      await exit(page).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page.getByRole('link', { name: /^Yard B: 1 of 1/ })).toBeVisible()
      await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject({ vin_number: renamed, parking_space: 'b-77', id_yard: 4, inspected: true })
      await openVehicleAs(page, supervisor, first)
      await page.getByRole('button', { name: /^Edit Parking Space/ }).click()
      await page.getByRole('textbox', { name: 'Parking Space' }).fill('!7')
      await page.getByRole('textbox', { name: 'Parking Space' }).press('Enter')
      await typeIdentifier(page, renamed)
      await exit(page).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page).toHaveURL(/\/campaign\//)
      await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject({ parking_space: '!7', id_yard: 4 })
    })

    test('who saves second sees both versions and chooses', async ({ page }) => {
      const { headers, campaign, first } = await three(page, 'Both')
      const operator = await getSharedMember(page.request, 'op')
      await openVehicleAs(page, operator, first)
      await typeIdentifier(page, first.vin_number)
      await button(page, 'ng').click()
      await (await openNotes(page)).fill('scratch on the door')
      await saveVehicle(page.request, headers, first.id, { operator_notes: 'all fine' })
      await exit(page).click()
      const dialog = page.getByRole('dialog', { name: 'Someone else saved this vehicle first' })
      await expect(dialog.getByText(new RegExp(`^Salvo por ${supervisor.hmc} em \\d\\d/\\d\\d/\\d{4}`))).toBeVisible()
      await expect(dialog.getByRole('row', { name: 'Status' })).toHaveText('StatusngNo status')
      await expect(dialog.getByRole('row', { name: 'Operator note' })).toContainText('scratch on the doorall fine')
      await takeScreenshot(page, 'vehicle-conflict')
      await page.keyboard.press('Escape')
      await expect(notes(page)).toHaveValue('scratch on the door')
      await exit(page).click()
      await dialog.getByRole('button', { name: 'Keep yours' }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${campaign.id}$`))
      await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ng', operator_notes: 'scratch on the door' })

      await openVehicleAs(page, operator, first)
      await (await openNotes(page)).fill('mine')
      await saveVehicle(page.request, headers, first.id, { operator_notes: 'theirs' })
      await typeIdentifier(page, first.vin_number)
      await exit(page).click()
      await dialog.getByRole('button', { name: 'Keep theirs' }).click()
      await expect(notes(page)).toHaveValue('theirs')
      expect((await fetchVehicle(page.request, headers, first.id)).operator_notes).toBe('theirs')
    })

    test('an operator whose status meets a saved one keeps both versions, and a team leader chooses', async ({ page }) => {
      const { headers, campaign, first } = await three(page, 'Two statuses')
      await openVehicleAs(page, await getSharedMember(page.request, 'op'), first)
      await typeIdentifier(page, first.vin_number)
      await button(page, 'ng').click()
      await saveVehicle(page.request, headers, first.id, { status: 'ok' })
      await exit(page).click()
      const dialog = page.getByRole('dialog', { name: 'Someone else saved this vehicle first' })
      await expect(dialog.getByText(/^O status ok já está salvo, e só um líder de equipe ou supervisor pode trocar para ng/)).toBeVisible()
      await expect(dialog.getByRole('button', { name: 'Keep yours' })).toHaveCount(0)
      await takeScreenshot(page, 'vehicle-conflict-both')
      await dialog.getByRole('button', { name: 'Keep both' }).click()
      await expect(page.getByText('As duas versões foram mantidas.')).toBeVisible()
      await expect(page).toHaveURL(new RegExp(`/campaign/${campaign.id}$`))
      expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ok', open_conflicts: 1 })
      const open = (await (await page.request.get(`/api/conflicts?campaign_id=${campaign.id}`, { headers })).json()) as { conflicts: object[] }
      expect(open.conflicts).toEqual([expect.objectContaining({ field: 'status', theirs: 'ok', mine: 'ng' })])
    })

    test('a save that is refused says so and keeps what was typed; Cancel leaves without saving', async ({ page }) => {
      const { headers, campaign, first } = await three(page, 'Failed')
      await openVehicleAs(page, await getSharedMember(page.request, 'op'), first)
      await typeIdentifier(page, first.vin_number)
      await button(page, 'ok').click()
      await (await openNotes(page)).fill('kept')
      await page.route(`**/api/vehicles/${first.id}*`, (route) =>
        route.request().method() === 'PUT' ? route.fulfill({ status: 422, json: { code: 'STATUS_NOT_ALLOWED', message: 'not now' } }) : route.fallback())
      await exit(page).click()
      await expect(page.getByText('Não foi salvo. not now')).toBeVisible()
      await takeScreenshot(page, 'vehicle-refused')
      await page.unroute(`**/api/vehicles/${first.id}*`)
      await page.reload()
      await expect(page.getByText('O que você digitou e não salvou foi recuperado.')).toBeVisible()
      await expect(notes(page)).toHaveValue('kept')
      await page.getByRole('button', { name: 'Discard' }).click()
      await expect(notes(page)).toHaveValue('')
      await (await openNotes(page)).fill('not saved')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${campaign.id}$`))
      expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: '', operator_notes: '', inspected: false })
    })
  })
}
