import { expect, type APIRequestContext, type Page } from '@playwright/test'

export interface Person {
  hmc: string
  password: string
}

/** The supervisor of the Patio under test. */
export const supervisor: Person = {
  hmc: process.env.PATIO_ADMIN_HMC ?? 'admin',
  password: process.env.PATIO_ADMIN_PASSWORD ?? '',
}

/** The developer account of the Patio under test, where one is set up. */
export const developer: Person = { hmc: process.env.PATIO_DEVELOPER_HMC ?? 'DEV0', password: process.env.PATIO_DEVELOPER_PASSWORD ?? '' }

/** A name that no earlier run has used. */
export const unique = (name: string) => `${name} ${Date.now().toString(36)}`

export async function signIn(page: Page, { hmc, password }: Person): Promise<void> {
  await page.goto('/')
  await page.getByLabel('HMC (Register Number)').fill(hmc)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/campaign-home$/)
}

/** The request headers of a signed-in person, for what a test sets up beside the screen. */
export async function tokenOf(request: APIRequestContext, { hmc, password }: Person): Promise<Record<string, string>> {
  const response = await request.post('/api/sessions', { data: { hmc, password } })
  expect(response.ok()).toBe(true)
  const { token } = (await response.json()) as { token: string }
  return { authorization: `Bearer ${token}` }
}

/** Makes an operator, a team leader or a supervisor that no earlier run has made. */
export async function newPerson(request: APIRequestContext, userType: 'op' | 'tm' | 'admin'): Promise<Person> {
  const person = { hmc: unique(userType).replace(' ', '-'), password: 'yard-walk-2026!' }
  const response = await request.post('/api/sign-up', {
    headers: await tokenOf(request, supervisor),
    data: { ...person, user_type: userType },
  })
  expect(response.status()).toBe(201)
  return person
}
