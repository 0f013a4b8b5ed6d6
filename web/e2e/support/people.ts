import { expect, type APIRequestContext, type Page } from '@playwright/test'
import { repeatWhileBusy } from './busy'

export interface Person {
  hmc: string
  password: string
}

/** The supervisor account of the tested Patio. */
export const supervisor: Person = {
  hmc: process.env.PATIO_ADMIN_HMC ?? 'admin',
  password: process.env.PATIO_ADMIN_PASSWORD ?? '',
}

/** The developer account of the tested Patio, if it has one. */
export const developer: Person = { hmc: process.env.PATIO_DEVELOPER_HMC ?? 'DEV0', password: process.env.PATIO_DEVELOPER_PASSWORD ?? '' }

/** Returns a name that no earlier test run has used. */
export const uniqueName = (name: string) => `${name} ${Date.now().toString(36)}`

export async function signIn(page: Page, person: Person): Promise<void> {
  await page.goto('/')
  await submitSignInForm(page, person)
  await expect(page).toHaveURL(/\/campaign-home$/)
}

/** Fills in and submits the sign-in form of the current page. */
export async function submitSignInForm(page: Page, { hmc, password }: Person): Promise<void> {
  await page.getByLabel('HMC (Register Number)').fill(hmc)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signOut(page: Page): Promise<void> {
  const form = page.getByRole('form', { name: 'Sign in' })
  const confirmation = page.getByRole('dialog', { name: /^Sign out with \d+ pending saves?\?$/ })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(form.or(confirmation)).toBeVisible()
  if (await confirmation.isVisible()) await confirmation.getByRole('button', { name: 'YES' }).click()
  await expect(form).toBeVisible()
}

/** Signs a person in through the API and returns the request headers, for the setup of a test. */
export async function signInByApi(request: APIRequestContext, { hmc, password }: Person): Promise<Record<string, string>> {
  const response = await repeatWhileBusy(() => request.post('/api/sessions', { data: { hmc, password } }))
  expect(response.ok()).toBe(true)
  const { token } = (await response.json()) as { token: string }
  return { authorization: `Bearer ${token}` }
}

/** Creates a user with an access level and a register number that no earlier test run has used. */
export async function createPerson(request: APIRequestContext, userType: 'op' | 'tm' | 'admin'): Promise<Person> {
  const person = { hmc: uniqueName(userType).replace(' ', '-'), password: 'yard-walk-2026!' }
  const response = await repeatWhileBusy(async () => request.post('/api/sign-up', {
    headers: await signInByApi(request, supervisor),
    data: { ...person, user_type: userType },
  }))
  expect(response.status()).toBe(201)
  return person
}
