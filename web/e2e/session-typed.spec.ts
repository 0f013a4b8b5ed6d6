import { expect, test, type Page } from './support/test'
import { createCampaignFile, importUniqueCampaign, createRowsInYard } from './support/campaign'
import { typeIdentifier, openNotes, toolOf, openTool } from './support/parts'
import { supervisor, signIn, submitSignInForm, type Person } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, expireSession, getHeaders, createMember } from './support/session'

/** Expires the session, calls `act` and signs in again. Returns false when the screen noticed the expiry before `act` was done. */
async function interrupted(page: Page, person: Person, act: () => Promise<void>): Promise<boolean> {
  const address = page.url()
  await expireSession(page)
  const form = page.getByRole('form', { name: 'Sign in' })
  const expired = expect(page.getByText('Session expired').last()).toBeVisible({ timeout: 30_000 })
  const acted = act().then(
    () => true,
    async (cause: unknown) => {
      if (!(await form.isVisible())) throw cause
      return false
    },
  )
  const [, isDone] = await Promise.all([expired, acted])
  await expect(form).toBeVisible()
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((name) => ['JWT_TOKEN', 'user'].includes(name)))).toEqual([])
  await submitSignInForm(page, person)
  await expect(page).toHaveURL(address)
  return isDone
}

const send = (page: Page, form: string) => () => page.getByRole('form', { name: form }).getByRole('button', { name: form }).click()

test.use({ viewport: PHONE, actionTimeout: 5000 })

test('what was typed in any form is there again after the session ended', async ({ page }) => {
  const person = await createMember(page.request, 'admin')
  const other = await createMember(page.request, 'op')
  const { vehicles: [vehicle], name } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Typed', createRowsInYard('K', 2))
  const vin = vehicle?.vin_number ?? ''
  await signIn(page, person)

  await test.step('a new user', async () => {
    await page.goto('/user-management?panel=create')
    await page.getByLabel('HMC (Register Number)').fill('not-made-yet')
    await page.getByLabel('Password', { exact: true }).fill('yard-walk-2026!')
    await page.getByLabel('Confirm password').fill('yard-walk-2026!')
    await page.getByLabel('Access level').selectOption('Operator')
    await interrupted(page, person, send(page, 'Create New User'))
    await expect(page.getByLabel('HMC (Register Number)')).toHaveValue('not-made-yet')
    await expect(page.getByLabel('Confirm password')).toHaveValue('yard-walk-2026!')
    await expect(page.getByLabel('Access level')).toHaveValue('op')
  })
  await test.step('a change of a user', async () => {
    for (const [panel, form, label, value] of [['password', 'Change Password', 'Password', 'yard-walk-2027!'], ['hmc', 'Change HMC', 'New HMC', 'renamed']] as const) {
      await page.goto(`/user-management?panel=${panel}`)
      await page.getByLabel('User', { exact: true }).selectOption(String(other.id))
      await page.getByLabel(label, { exact: true }).fill(value)
      if (panel === 'password') await page.getByLabel('Confirm password').fill(value)
      await interrupted(page, person, send(page, form))
      await expect(page.getByLabel('User', { exact: true })).toHaveValue(String(other.id))
      await expect(page.getByLabel(label, { exact: true })).toHaveValue(value)
    }
    await page.goto('/user-management?panel=permission')
    await page.getByLabel('User', { exact: true }).selectOption(String(other.id))
    await page.getByLabel('New permission').selectOption('Team Leader')
    await interrupted(page, person, send(page, 'Change Permission'))
    await expect(page.getByLabel('New permission')).toHaveValue('tm')
  })
  await test.step('the own password', async () => {
    await page.goto('/account')
    await page.getByLabel('Current password').fill(person.password)
    await page.getByLabel('New password', { exact: true }).fill('another-word-9')
    await page.getByLabel('Confirm new password').fill('another-word-9')
    await interrupted(page, person, send(page, 'Change my password'))
    await expect(page.getByLabel('New password', { exact: true })).toHaveValue('another-word-9')
  })
  await test.step('a campaign file', async () => {
    await page.goto('/import')
    await page.getByLabel('Campaign file').setInputFiles(createCampaignFile('Interrupted', createRowsInYard('K', 1)))
    await interrupted(page, person, () => page.getByRole('button', { name: 'Upload campaign' }).click())
    await expect(page.getByText('campaign.xlsx', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Upload campaign' })).toBeEnabled()
  })
  await test.step('the lists and the file of the bulk tools, open as they were', async () => {
    await page.goto('/campaign-list')
    const statuses = await openTool(page, 'Status Manager')
    await statuses.getByLabel('VIN list').fill(vin)
    await statuses.getByLabel('Remove').check()
    const csv = await openTool(page, 'CSV Editor')
    await csv.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(`Model Code,Serial Number,Status\n${vin.replace(' ', ',')},ok`) })
    await expect(csv.getByText('Vehicles: 1')).toBeVisible()
    const spaces = await openTool(page, 'Parking Space Manager')
    await spaces.getByLabel('VIN and parking space list').fill(`${vin} B-9`)
    await expect(spaces.getByText('1 vehicle will change parking space.')).toBeVisible()
    await interrupted(page, person, () => spaces.getByRole('button', { name: 'Execute' }).click())
    await expect(spaces.getByLabel('VIN and parking space list')).toHaveValue(`${vin} B-9`)
    await openTool(page, 'Status Manager')
    await expect(statuses.getByLabel('VIN list')).toHaveValue(vin)
    await expect(statuses.getByLabel('Remove')).toBeChecked()
    await openTool(page, 'CSV Editor')
    await expect(csv.getByText('a.csv')).toBeVisible()
    await expect(csv.getByText('Vehicles: 1')).toBeVisible()
    await takeScreenshot(page, 'manage-restored')
  })
  await test.step('a vehicle in the manual editor', async () => {
    await page.goto('/campaign-list')
    await openTool(page, 'Manual Vehicle Editor')
    await toolOf(page, 'Manual Vehicle Editor').getByLabel('Campaign').selectOption({ label: name })
    await page.getByRole('button', { name: `Edit ${vin}` }).click()
    await page.getByRole('dialog').getByLabel('QC / Supervisor Notes').fill('half a sentence')
    await page.getByRole('dialog').getByLabel('Status').selectOption('ok') // a save without a status would ask for confirmation
    await interrupted(page, person, () => page.getByRole('button', { name: 'Save vehicle' }).click())
    await expect(page.getByRole('dialog').getByLabel('QC / Supervisor Notes')).toHaveValue('half a sentence')
  })
  await test.step('an inspection', async () => {
    let isSaved = false
    for (let attempt = 1; !isSaved; attempt += 1) {
      await page.goto(`/vehicle/${vehicle?.id}`)
      if (attempt === 1) await typeIdentifier(page, vin) // afterwards, the identified vehicle is restored
      else await expect(page.getByText('O que você digitou e não salvou foi recuperado.')).toBeVisible()
      const ok = page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true })
      if ((await ok.getAttribute('aria-pressed')) === 'false') await ok.click()
      await (await openNotes(page)).fill('half a note')
      // a page that learns of the end of the session before the click has not saved, so the step is repeated
      isSaved = await interrupted(page, person, () => page.getByRole('button', { name: 'Save and Exit' }).click())
    }
    // the save was pending on the device, and is sent when its owner signs in again
    await expect(page.getByText(`Última modificação pelo ID: ${person.id} - ${person.hmc}`, { exact: false })).toBeVisible()
    await expect(page.getByLabel('Operator / Team Leader Notes')).toHaveValue('half a note')
  })
  await test.step('another person finds none of the typed texts', async () => {
    await page.goto('/user-management?panel=create')
    await page.getByLabel('HMC (Register Number)').fill('not-made-yet')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'Logout' }).click()
    await submitSignInForm(page, supervisor)
    await expect(page).toHaveURL(/\/campaign-home$/)
    await openAs(page, supervisor, '/user-management?panel=create')
    await expect(page.getByLabel('HMC (Register Number)')).toHaveValue('')
  })
})
