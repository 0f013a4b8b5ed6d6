import { expect, test, type Page } from './support/test'
import { makeAvailableOffline } from './support/campaignActions'
import { importUniqueCampaign, createRowsInYard } from './support/campaign'
import { openNotes } from './support/parts'
import { supervisor, signIn, submitSignInForm } from './support/people'
import { PHONE } from './support/screenshots'
import { getHeaders, createMember } from './support/session'

const stored = (page: Page, kind: 'local' | 'session') => page.evaluate((which) => ({ ...(which === 'local' ? localStorage : sessionStorage) }) as Record<string, string>, kind)

/** Returns the contents of the page's database as one text. */
const onDisk = (page: Page): Promise<string> =>
  page.evaluate(() => new Promise<string>((resolve) => {
    const opening = indexedDB.open('patio')
    opening.addEventListener('success', () => {
      const database = opening.result
      const stores = [...database.objectStoreNames]
      if (stores.length === 0) return resolve('')
      const reading = database.transaction(stores)
      const all = stores.map((store) => reading.objectStore(store).getAll())
      reading.addEventListener('complete', () => {
        database.close()
        resolve(all.every(({ result }) => result.length === 0) ? '' : JSON.stringify(all.map(({ result }) => result)))
      })
    })
  }))

test.use({ viewport: PHONE, actionTimeout: 5000 })

test('a block is counted down each second and ends by itself', async ({ page }) => {
  const { hmc, password } = await createMember(page.request, 'op')
  await page.clock.install()
  await page.goto('/')
  const button = page.getByRole('button', { name: 'Sign in' })
  await page.getByLabel('HMC (Register Number)').fill(hmc)
  await expect(button).toBeDisabled()
  await page.getByLabel('Password').fill('wrong-password')
  for (let n = 0; n < 2; n++) {
    await button.click()
    await expect(page.getByText(`You have more ${4 - n} attempt(s).`)).toBeVisible()
  }
  expect(JSON.parse((await stored(page, 'local')).loginAttempts ?? '{}')).toMatchObject({ count: 2, lastAttempt: expect.any(Number) })
  for (let n = 2; n < 5; n++) {
    await button.click()
    await expect(page.getByText(n < 4 ? `You have more ${4 - n} attempt(s).` : /^Exceeded login attempts/)).toBeVisible()
  }
  const { loginAttempts, loginBlock } = await stored(page, 'local')
  expect(loginAttempts).toBeUndefined()
  const left = JSON.parse(loginBlock ?? '{}').blockedUntil - (await page.evaluate(() => Date.now()))
  expect(left).toBeGreaterThan(170_000)
  expect(left).toBeLessThanOrEqual(180_000)
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000))
  const until = JSON.parse(loginBlock ?? '{}').blockedUntil
  for (let passed = 0; passed < 4; passed++) {
    const seconds = Math.ceil((until - (await page.evaluate(() => Date.now()))) / 1000)
    await expect(page.getByRole('alert')).toContainText(`again in ${seconds} seconds`)
    await page.clock.runFor(1000)
  }
  await page.getByLabel('Password').fill(password)
  await expect(button).toBeDisabled()
  await page.clock.runFor(180_000)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(button).toBeEnabled()
})

test('a sign-in clears the counters', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  await page.goto('/')
  await expect(page.getByRole('banner').locator('svg')).toBeVisible()
  await submitSignInForm(page, { ...person, password: 'wrong-password' })
  await expect(page.getByText('Invalid credentials. You have more 4 attempt(s).')).toBeVisible()
  expect(JSON.parse((await stored(page, 'local')).loginAttempts ?? '{}')).toMatchObject({ count: 1 })
  // An earlier session has left an expired block.
  await page.evaluate(() => localStorage.setItem('loginBlock', JSON.stringify({ blockedUntil: Date.now() - 1000 })))
  await submitSignInForm(page, person)
  await expect(page).toHaveURL(/\/campaign-home$/)
  const local = await stored(page, 'local')
  expect([local.loginAttempts, local.loginBlock]).toEqual([undefined, undefined])
  const session = await stored(page, 'session')
  expect(session.JWT_TOKEN?.length).toBeGreaterThan(20)
  expect(JSON.parse(session.user ?? '')).toMatchObject({ hmc: person.hmc, user_type: 'op' })
})

test('nothing personal stays behind after signing out', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  const { name, id, vehicles } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Left', createRowsInYard('K', 1))
  await signIn(page, person)
  await page.goto(`/vehicle/${vehicles[0]?.id}`)
  await (await openNotes(page)).fill('a secret note')
  await page.goto(`/campaign/${id}`)
  await expect(page.getByRole('heading', { name })).toBeVisible()
  await makeAvailableOffline(page)
  await expect(page.getByText('Pronto. Esta lista já funciona offline.')).toBeVisible()
  expect(JSON.stringify(await stored(page, 'local'))).toContain('a secret note')
  expect(await onDisk(page)).toContain(vehicles[0]?.vin_number)
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
  expect(await stored(page, 'session')).toEqual({})
  await page.goBack()
  await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByText(name)).toHaveCount(0)
  expect(await stored(page, 'session')).toEqual({})
  await page.goto(`/campaign/${id}`)
  await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByText(name)).toHaveCount(0)
  await expect.poll(() => onDisk(page)).toBe('')
  const local = JSON.stringify(await stored(page, 'local'))
  for (const trace of ['a secret note', name, person.hmc, vehicles[0]?.vin_number ?? '']) expect(local).not.toContain(trace)
})

test('a token without a user, or a user without a token, is no session', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  for (const lost of ['JWT_TOKEN', 'user', 'SEAL_KEY', 'SESSION_ID']) {
    await signIn(page, person)
    await page.evaluate((name) => {
      sessionStorage.removeItem(name)
      sessionStorage.setItem('entryMode', 'manual')
    }, lost)
    await page.goto('/campaign-home')
    await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
    expect(Object.keys(await stored(page, 'session'))).toEqual(['returnTo'])
  }
})
