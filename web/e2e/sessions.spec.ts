import { expect, test, type APIRequestContext, type Page } from './support/test'
import { makeAvailableOffline } from './support/campaignActions'
import { importUniqueCampaign, createRowsInYard, fetchVehicle, type Vehicle } from './support/campaign'
import { readAllStorage, readStoredSaves, writeSave } from './support/disk'
import { typeIdentifier, openNotes, chooseRowAction } from './support/parts'
import { signIn, submitSignInForm, signOut, supervisor, type Person } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForServiceWorker, createMember } from './support/session'

const NOTE = 'the left door has a scratch of a hand'
const ANDROID = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'

/** Saves the shown vehicle with a status and a note. */
async function inspect(page: Page, { vin_number }: Vehicle, status: string): Promise<void> {
  await typeIdentifier(page, vin_number)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: status, exact: true }).click()
  await (await openNotes(page)).fill(NOTE)
  await page.getByRole('button', { name: 'Save and Exit' }).click()
}

/** Signs a person in on another device. Returns the request headers of that session. */
async function elsewhere(request: APIRequestContext, { hmc, password }: Person, device: string): Promise<Record<string, string>> {
  const response = await request.post('/api/sessions', { data: { hmc, password }, headers: { 'user-agent': device } })
  expect(response.status()).toBe(200)
  return { authorization: `Bearer ${((await response.json()) as { token: string }).token}` }
}

/** Calls the server and returns the status of the response, with the code of an error. */
async function answerTo(request: APIRequestContext, headers: Record<string, string>): Promise<string> {
  const response = await request.get('/api/me', { headers })
  const { code = '' } = (await response.json()) as { code?: string }
  return `${response.status()} ${code}`.trim()
}
const ENDED = '401 SESSION_ENDED'

const tokenIn = async (page: Page) => ({ authorization: `Bearer ${await page.evaluate(() => sessionStorage.getItem('JWT_TOKEN'))}` })
const waits = (page: Page) => page.getByRole('link', { name: '1 pending save' })
const nothingWaits = (page: Page) => expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)

/** Blocks all saves of the page, and lets reads through. */
const holdSaves = (page: Page) => page.route('**/api/vehicles/*', (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()))

test.use({ viewport: PHONE })

test.describe('with pages kept by the phone', () => {
  test.use({ serviceWorkers: 'allow' })

  test('on a shared phone the next person can neither read, change nor send what waits; it arrives once, under its owner', async ({ page, context }) => {
    const headers = await getHeaders(page.request, supervisor)
    const { vehicles } = await importUniqueCampaign(page.request, headers, 'Shared', createRowsInYard('K', 2))
    const [first] = vehicles as [Vehicle]
    const [one, two] = [await createMember(page.request, 'op'), await createMember(page.request, 'op')]
    /** Idempotency keys of the saves that the page sends. A page that is left before the response sends a save again under the same key. */
    const sent = new Set<string>()
    context.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().includes('/api/vehicles/')) sent.add(`${request.url()} ${request.headers()['idempotency-key']}`)
    })

    await test.step('the first person saves without a network and signs out, after a question', async () => {
      await signIn(page, one)
      await page.goto(`/vehicle/${first.id}`)
      await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
      await waitForServiceWorker(page)
      await context.setOffline(true)
      await inspect(page, first, 'ng')
      await expect(waits(page)).toBeVisible()
      await expect(page).toHaveURL(/\/campaign\/\d+$/) // the change of the screen would close the menu
      await page.getByRole('button', { name: 'Open menu' }).click()
      await page.getByRole('button', { name: 'Logout' }).click()
      const question = page.getByRole('dialog', { name: 'Sign out with 1 pending save?' })
      await takeScreenshot(page, 'sign-out-pending')
      await question.getByRole('button', { name: 'NO' }).click()
      await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: 'Close menu' }).click()
      await expect(waits(page)).toBeVisible()
      await signOut(page)
      await expect(page.getByText('Neste aparelho há 1 inspeção não enviada.', { exact: false })).toBeVisible()
    })
    await test.step('the second person sees that one save is pending, but not its content', async () => {
      await context.setOffline(false)
      await submitSignInForm(page, two)
      await expect(page).toHaveURL(/\/campaign-home$/)
      await page.goto('/outbox')
      await expect(page.getByText('1 inspeção de outra pessoa aguarda neste aparelho.', { exact: false })).toBeVisible()
      await takeScreenshot(page, 'outbox-of-another')
      const kept = await readAllStorage(page)
      for (const secret of [NOTE, first.vin_number, first.vin_number.split(' ')[0] ?? '', one.hmc, '"ng"']) expect(kept, secret).not.toContain(secret)
      const saves = await readStoredSaves(page)
      expect(saves.map((save) => Object.keys(save).toSorted().join())).toEqual(['at,id,owner,sealed,seq,state'])
    })
    await test.step('what the second person writes into the database is not sent under the name of the first', async () => {
      const [save] = await readStoredSaves(page)
      if (save === undefined) throw new Error('no save')
      await writeSave(page, { ...save, seq: save.seq + 10 })
      await writeSave(page, { ...save, seq: save.seq + 11, id: 'forged', sealed: save.sealed.toReversed() })
      await writeSave(page, { ...save, seq: save.seq + 12, owner: String(two.id) })
      await page.reload()
      await expect(page.getByText('Esta inspeção foi alterada neste aparelho e não será enviada.')).toHaveCount(1)
      await expect(page.getByText('3 inspeções de outras pessoas aguardam neste aparelho.', { exact: false })).toBeVisible()
      await page.getByRole('region', { name: 'Changed on this device' }).getByRole('button', { name: 'Remove' }).click()
      await expect(page.getByText('Tudo enviado.', { exact: false })).toBeVisible()
      await signOut(page)
    })
    await test.step('the first person signs in again: the save is sent once, and two altered saves are reported', async () => {
      sent.clear()
      await submitSignInForm(page, one)
      await expect.poll(async () => (await fetchVehicle(page.request, headers, first.id)).status).toBe('ng')
      expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ operator_notes: NOTE, modified_by_hmc: one.hmc, version: 2 })
      await page.goto('/outbox')
      await expect(page.getByText('Esta inspeção foi alterada neste aparelho e não será enviada.')).toHaveCount(2)
      await takeScreenshot(page, 'outbox-altered')
      for (const left of [1, 0]) {
        await page.getByRole('region', { name: 'Changed on this device' }).getByRole('button', { name: 'Remove' }).first().click()
        await expect(page.getByText('Esta inspeção foi alterada neste aparelho e não será enviada.')).toHaveCount(left)
      }
      await nothingWaits(page)
      expect([...sent]).toEqual([expect.stringMatching(new RegExp(`/api/vehicles/${first.id}(\\?.*)? [0-9a-f\\-]{36}$`, 'v'))])
      expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ operator_notes: NOTE, version: 2 })
    })
  })

  test('a session that was signed out without a network is ended at the next contact', async ({ page, context }) => {
    await signIn(page, await createMember(page.request, 'op'))
    await waitForServiceWorker(page)
    const headers = await tokenIn(page)
    await context.setOffline(true)
    await signOut(page)
    const kept = await page.evaluate(() => JSON.stringify(localStorage))
    expect(JSON.parse(JSON.parse(kept).endedSessions)).toHaveLength(1)
    expect(kept).not.toContain(headers.authorization.replace('Bearer ', ''))
    expect(await answerTo(page.request, headers)).toBe('200')
    await context.setOffline(false)
    await expect.poll(() => answerTo(page.request, headers)).toBe(ENDED)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('endedSessions'))).toBeNull()
  })

  test('it is also ended when the page was closed in between and another person uses the phone next', async ({ page, context }) => {
    await signIn(page, await createMember(page.request, 'op'))
    await waitForServiceWorker(page)
    const headers = await tokenIn(page)
    await context.setOffline(true)
    await signOut(page)
    expect(await answerTo(page.request, headers)).toBe('200')
    const next = await context.newPage()
    await page.close()
    await context.setOffline(false)
    await signIn(next, await createMember(next.request, 'op'))
    await expect.poll(() => answerTo(next.request, headers)).toBe(ENDED)
  })
})

test('one sees where one is signed in and ends other sessions, one or all', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  const [phone, desk] = [await elsewhere(page.request, person, ANDROID), await elsewhere(page.request, person, WINDOWS)]
  await signIn(page, person)
  await page.goto('/account')
  const card = page.getByRole('region', { name: 'Open sessions' })
  await expect(card.getByRole('listitem')).toHaveCount(3)
  await expect(card.getByRole('listitem').first()).toContainText('(this device)')
  await expect(card.getByRole('button', { name: /^End the session on/ })).toHaveCount(2)
  await takeScreenshot(page, 'account-sessions')
  await card.getByRole('button', { name: /^End the session on Chrome on Android/ }).click()
  await expect(card.getByRole('listitem')).toHaveCount(2)
  expect([await answerTo(page.request, phone), await answerTo(page.request, desk)]).toEqual([ENDED, '200'])
  await card.getByRole('button', { name: 'End all others' }).click()
  await expect(card.getByRole('listitem')).toHaveCount(1)
  await expect(card.getByRole('button')).toHaveCount(0)
  expect([await answerTo(page.request, desk), await answerTo(page.request, await tokenIn(page))]).toEqual([ENDED, '200'])
})

test("a supervisor ends a user's sessions, one or all", async ({ page }) => {
  const person = await createMember(page.request, 'op')
  const sessions = [await elsewhere(page.request, person, ANDROID), await elsewhere(page.request, person, WINDOWS), await elsewhere(page.request, person, WINDOWS)]
  await openAs(page, supervisor, '/user-management?panel=active')
  await page.getByRole('searchbox', { name: 'Search by HMC' }).fill(person.hmc)
  await chooseRowAction(page, person.hmc, `Sessions of ${person.hmc}`)
  const dialog = page.getByRole('dialog', { name: `Sessions of ${person.hmc}` })
  await expect(dialog.getByRole('listitem')).toHaveCount(3)
  await takeScreenshot(page, 'users-sessions')
  await dialog.getByRole('button', { name: /^End the session on Chrome on Android/ }).click()
  await expect(dialog.getByRole('listitem')).toHaveCount(2)
  const answers = () => Promise.all(sessions.map((headers) => answerTo(page.request, headers)))
  expect(await answers()).toEqual([ENDED, '200', '200'])
  await dialog.getByRole('button', { name: 'End all' }).click()
  await expect(dialog.getByText('Nenhuma sessão aberta.')).toBeVisible()
  expect(await answers()).toEqual([ENDED, ENDED, ENDED])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
})

test('a phone whose session was ended is wiped at its next contact; what waits is sealed and sent after the next sign-in', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, name, vehicles } = await importUniqueCampaign(page.request, headers, 'Wiped', createRowsInYard('K', 2))
  const [first, second] = vehicles as [Vehicle, Vehicle]
  const person = await createMember(page.request, 'op')
  await signIn(page, person)
  await page.goto(`/campaign/${id}`)
  await makeAvailableOffline(page)
  await expect(page.getByText('Pronto. Esta lista já funciona offline.')).toBeVisible()
  await holdSaves(page)
  await page.goto(`/vehicle/${first.id}`)
  await inspect(page, first, 'ok')
  await expect(waits(page)).toBeVisible()
  await page.goto(`/vehicle/${second.id}`)
  await (await openNotes(page)).fill(NOTE)
  const before = await readAllStorage(page)
  for (const trace of [NOTE, name, second.vin_number]) expect(before).toContain(trace)

  const other = await elsewhere(page.request, person, WINDOWS)
  const isShown = expect(page.getByText('Esta sessão foi encerrada. Entre novamente.')).toBeVisible({ timeout: 30_000 })
  expect((await page.request.delete('/api/me/sessions', { headers: other })).status()).toBe(200)
  await page.evaluate(() => window.dispatchEvent(new Event('online'))) // makes the page refresh its list, and so notice the ended session
  await isShown
  await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
  await expect.poll(() => readAllStorage(page)).not.toContain(second.vin_number)
  const after = await readAllStorage(page)
  for (const trace of [NOTE, name, first.vin_number, person.hmc]) expect(after, trace).not.toContain(trace)
  expect(await readStoredSaves(page)).toHaveLength(1)
  // A held request that fails after the wipe may leave the time at which the network was lost, and nothing else.
  expect((await page.evaluate(() => Object.keys(sessionStorage))).filter((key) => key !== 'serverUnreachableSince')).toEqual([])

  await page.unrouteAll()
  await submitSignInForm(page, person)
  await expect(page).toHaveURL(/\/campaign-home$/)
  await expect.poll(async () => (await fetchVehicle(page.request, headers, first.id)).operator_notes).toBe(NOTE)
  await nothingWaits(page)
})

test('over plain http, where browsers offer no cipher, what waits is sealed as well', async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined }))
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Plain', createRowsInYard('K', 1))
  const [first] = vehicles as [Vehicle]
  const person = await createMember(page.request, 'op')
  await openAs(page, person, `/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  expect(await page.evaluate(() => 'subtle' in crypto && (crypto.subtle as unknown))).toBeUndefined()
  await holdSaves(page)
  await inspect(page, first, 'ng')
  await expect(waits(page)).toBeVisible()
  const kept = JSON.stringify((await readStoredSaves(page)).map(({ sealed }) => String.fromCharCode(...sealed)))
  for (const secret of [NOTE, first.vin_number, person.hmc]) expect(kept).not.toContain(secret)
  await page.reload()
  await expect(waits(page)).toBeVisible()
  await page.unrouteAll()
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await nothingWaits(page)
  expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ng', operator_notes: NOTE, modified_by_hmc: person.hmc })
})
