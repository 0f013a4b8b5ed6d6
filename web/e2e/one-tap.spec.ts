import { expect, test, type APIRequestContext, type Page } from './support/test'
import { readStoredSaves } from './support/disk'
import { deleteProfileFolder, createProfileFolder, startPhone, type RunningPhone } from './support/phone'
import { supervisor } from './support/people'
import { openAs, getHeaders } from './support/session'
import { fetchVehicle } from './support/campaign'
import { findCarAt, openOnPhone, expectNoUncaughtErrors, importYard, type Yard } from './support/yard'

const HOLD_MS = 6000

test.afterEach(expectNoUncaughtErrors)

const sheet = (page: Page, vin: string) => page.getByRole('dialog', { name: `Vehicle ${vin}` })
const undo = (page: Page, space: string, status = 'ok') => page.getByRole('button', { name: `Undo ${space}: ${status}` })
const oneTap = (page: Page) => page.getByRole('switch', { name: 'One tap saves' })

/** Opens a car by typing, as a phone without a camera does. */
async function find(page: Page, vin: string): Promise<void> {
  await page.getByLabel('Vehicle identifier').fill(vin)
  await page.getByRole('button', { name: new RegExp(vin) }).click()
  await expect(sheet(page, vin)).toBeVisible()
}
async function tapOk(page: Page, vin: string): Promise<void> {
  await find(page, vin)
  await sheet(page, vin).getByRole('button', { name: 'ok', exact: true }).click()
  await expect(sheet(page, vin)).toHaveCount(0)
}
/** Counts the saves that the page sends. */
function countSaves(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PUT' && /\/api\/vehicles\/\d+/.test(request.url()) && sent.push(request.headers()['idempotency-key'] ?? ''))
  return sent
}
async function statusOf(request: APIRequestContext, yard: Yard, space: string): Promise<string> {
  return String((await fetchVehicle(request, await getHeaders(request, supervisor), findCarAt(yard, space).id)).status)
}
const waiting = async (page: Page) => (await readStoredSaves(page)).filter(({ state }) => state === 'waiting').length

test('one tap on ok saves; Undo takes it back before it is sent, and after six seconds it is sent', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, ['HB20 000001', 'HB20 000002', 'HB20 000003'])
  const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`)
  const sent = countSaves(page)
  await expect(oneTap(page)).not.toBeChecked()
  await oneTap(page).check()
  await page.reload()
  await expect(oneTap(page)).toBeChecked()
  await test.step('the save is on the device at once and is not sent while it can be undone', async () => {
    await tapOk(page, 'HB20 000001')
    await expect(page.getByRole('status').filter({ has: undo(page, 'A-1') })).toHaveText('A-1 okUndo')
    await expect(page.getByText('2 left')).toBeVisible()
    expect(await waiting(page)).toBe(1)
    expect(await page.getByRole('link', { name: /to send/ }).count()).toBe(0) // the header counts only saves that wait to be sent
    expect(sent).toEqual([])
  })
  await test.step('Undo removes the save and opens the car again', async () => {
    await undo(page, 'A-1').click()
    await expect(sheet(page, 'HB20 000001')).toBeVisible()
    expect(await waiting(page)).toBe(0)
    await sheet(page, 'HB20 000001').getByRole('button', { name: 'Close without saving' }).click()
    await expect(page.getByText('3 left')).toBeVisible()
    await page.waitForTimeout(HOLD_MS + 500)
    expect([sent, await statusOf(request, yard, 'A-1')]).toEqual([[], ''])
  })
  await test.step('without Undo the save is sent once, when Undo leaves', async () => {
    const begun = Date.now()
    await tapOk(page, 'HB20 000002')
    await expect(undo(page, 'A-2')).toBeVisible()
    await expect(undo(page, 'A-2')).toHaveCount(0, { timeout: HOLD_MS + 3000 })
    expect(Date.now() - begun).toBeGreaterThan(HOLD_MS - 500)
    await expect.poll(() => statusOf(request, yard, 'A-2')).toBe('ok')
    expect(sent).toHaveLength(1)
  })
  await test.step('ng opens the note first; the note comes back with Undo', async () => {
    await find(page, 'HB20 000003')
    await sheet(page, 'HB20 000003').getByRole('button', { name: 'ng', exact: true }).click()
    const note = sheet(page, 'HB20 000003').getByLabel('Operator / Team Leader Notes')
    await expect(note).toBeFocused()
    await note.fill('sleeve missing')
    await sheet(page, 'HB20 000003').getByRole('button', { name: 'Save as ng' }).click()
    await undo(page, 'A-3', 'ng').click()
    await expect(note).toHaveValue('sleeve missing')
    await sheet(page, 'HB20 000003').getByRole('button', { name: 'ng', exact: true }).click()
    await sheet(page, 'HB20 000003').getByRole('button', { name: 'Save as ng' }).click()
    await expect(undo(page, 'A-3', 'ng')).toBeVisible()
  })
  await test.step('leaving the page sends the save at once', async () => {
    await page.getByRole('link', { name: /home/i }).first().click()
    await expect(page).toHaveURL(/campaign-home/)
    await expect.poll(() => statusOf(request, yard, 'A-3'), { timeout: HOLD_MS - 2000 }).toBe('ng')
    expect(new Set(sent).size).toBe(2)
  })
})

test('a held save outlives a reload, a killed phone and a second tab, and reaches the server once', async ({ request, baseURL }) => {
  test.slow()
  const yard = await importYard(request, ['HB20 000001', 'HB20 000002', 'HB20 000003'])
  const walk = `${baseURL}/campaign/${yard.campaign}/walk`
  const disk = createProfileFolder()
  const phones: RunningPhone[] = []
  const open = async (path: string) => {
    const phone = await startPhone(disk)
    phones.push(phone)
    await phone.page.goto(`${baseURL}/favicon.svg`)
    await openAs(phone.page, supervisor, path)
    return phone
  }
  try {
    const first = await open(walk)
    await oneTap(first.page).check()
    await test.step('a reload', async () => {
      const sent = countSaves(first.page)
      await tapOk(first.page, 'HB20 000001')
      await first.page.reload()
      await expect.poll(() => statusOf(request, yard, 'A-1'), { timeout: 20_000 }).toBe('ok')
      expect(new Set(sent).size).toBe(1)
    })
    await test.step('a second tab', async () => {
      const other = await first.context.newPage()
      await other.goto(`${baseURL}/favicon.svg`)
      await openAs(other, supervisor, `${baseURL}/outbox`)
      const sent = [countSaves(first.page), countSaves(other)]
      await first.page.bringToFront()
      await tapOk(first.page, 'HB20 000002')
      await expect.poll(() => statusOf(request, yard, 'A-2'), { timeout: 20_000 }).toBe('ok')
      expect(new Set(sent.flat()).size).toBe(1)
    })
    await test.step('a killed phone', async () => {
      await first.page.waitForTimeout(1000)
      await tapOk(first.page, 'HB20 000003')
      await phones.pop()?.kill()
      expect(await statusOf(request, yard, 'A-3')).toBe('')
      await open(`${baseURL}/campaign-home`)
      await expect.poll(() => statusOf(request, yard, 'A-3'), { timeout: 20_000 }).toBe('ok')
    })
  } finally {
    for (const { kill } of phones) await kill()
    deleteProfileFolder(disk)
  }
})
