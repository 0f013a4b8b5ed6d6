import { expect, type APIRequestContext, type Page, type Request } from '@playwright/test'
import { repeatWhileBusy } from './busy'
import { supervisor, uniqueName, type Person } from './people'

interface Session {
  token: string
  session_id: string
  seal_key: string
  id: number
  hmc: string
  user_type: string
}
export interface Member extends Person {
  id: number
}

const sessions = new Map<string, Session>()

/** Returns the session of a person, which is started once per test run. */
export async function getSession(request: APIRequestContext, { hmc, password }: Person): Promise<Session> {
  const known = sessions.get(hmc)
  if (known !== undefined) return known
  const response = await repeatWhileBusy(() => request.post('/api/sessions', { data: { hmc, password } }))
  expect(response.status()).toBe(200)
  const session = (await response.json()) as Session
  sessions.set(hmc, session)
  return session
}

export const getHeaders = async (request: APIRequestContext, person: Person) => ({ authorization: `Bearer ${(await getSession(request, person)).token}` })

/** Returns the ids of the person's resolved conflicts. The pages of a test show no toasts about the conflicts of earlier tests, which would cover buttons. */
async function knownOutcomes(request: APIRequestContext, { hmc }: Person, token: string): Promise<number[]> {
  if (hmc !== supervisor.hmc) return [] // only the supervisor is shared by tests that resolve conflicts
  const response = await repeatWhileBusy(() => request.get(`${process.env.PATIO_TEST_URL ?? 'http://127.0.0.1:8080'}/api/conflicts?state=settled&mine=true`, { headers: { authorization: `Bearer ${token}` } }))
  expect(response.status()).toBe(200)
  const { conflicts } = (await response.json()) as { conflicts: { id: number }[] }
  return conflicts.map(({ id }) => id)
}

/** Opens a screen as a signed-in person, without the sign-in form. */
export async function openAs(page: Page, person: Person, path: string): Promise<void> {
  const { token, session_id, seal_key, id, hmc, user_type } = await getSession(page.request, person)
  const outcomes = await knownOutcomes(page.request, person, token)
  watch(page)
  const session = { JWT_TOKEN: token, SESSION_ID: session_id, SEAL_KEY: seal_key, user: JSON.stringify({ id, hmc, user_type }) }
  const once = await page.addInitScript(([items, [name, ids]]) => {
    if (location.protocol === 'about:') return
    for (const [key, value] of Object.entries(items)) sessionStorage.setItem(key, value)
    localStorage.setItem(name, ids)
  }, [session, [`outcomes:${id}`, JSON.stringify(outcomes)]] as const)
  await page.goto(path)
  await once.dispose()
}

const inFlight = new WeakMap<Page, Set<Request>>()

/** Counts the pending requests of a page, except the event stream, which is always open. */
function watch(page: Page): void {
  if (inFlight.has(page)) return
  const open = new Set<Request>()
  inFlight.set(page, open)
  page.on('request', (request) => !request.url().includes('/api/events') && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

const QUIET_MS = 500

/** Waits until no request has been pending for half a second. */
export async function waitForRequests(page: Page): Promise<void> {
  let since = Date.now()
  await expect.poll(() => {
    if ((inFlight.get(page)?.size ?? 0) > 0) since = Date.now()
    return Date.now() - since
  }, { intervals: [50], timeout: 30_000 }).toBeGreaterThan(QUIET_MS)
}

/** Waits until the service worker has cached the app and no request is pending. */
export async function waitForServiceWorker(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await globalThis.navigator.serviceWorker.ready
  })
  await expect.poll(() => page.evaluate(() => globalThis.navigator.serviceWorker.controller !== null)).toBe(true)
  await waitForRequests(page)
}

/** Expires the session of the page: every call with its token gets the error of an expired session. */
export async function expireSession(page: Page): Promise<void> {
  const token = await page.evaluate(() => sessionStorage.getItem('JWT_TOKEN'))
  const refusal = { status: 401, json: { code: 'NOT_SIGNED_IN', message: 'Sign in to continue.' } }
  await page.route('**/api/**', (route) => (route.request().headers().authorization === `Bearer ${token}` ? route.fulfill(refusal) : route.fallback()))
}

/** Confirms a person's password through the API, so that the app does not ask for it for five minutes. */
export async function confirmPassword(request: APIRequestContext, person: Person): Promise<void> {
  const response = await repeatWhileBusy(async () => request.post('/api/me/confirm', { headers: await getHeaders(request, person), data: { password: person.password } }))
  expect(response.status()).toBe(204)
}

const PASSWORD = 'yard-walk-2026!'

/** Creates a user through the API, as the supervisor. */
export async function createUser(request: APIRequestContext, user: Person & { user_type: 'op' | 'tm' | 'admin'; must_change_password?: boolean }): Promise<Member> {
  if (user.user_type === 'admin') await confirmPassword(request, supervisor)
  const response = await repeatWhileBusy(async () => request.post('/api/sign-up', { headers: await getHeaders(request, supervisor), data: user }))
  expect(response.status()).toBe(201)
  const { id } = (await response.json()) as { id: number }
  return { id, hmc: user.hmc, password: user.password }
}

/** Creates a person with an access level. */
export const createMember = (request: APIRequestContext, userType: 'op' | 'tm' | 'admin', mustChange = false): Promise<Member> =>
  createUser(request, { hmc: `${uniqueName(userType)}${Math.floor(Math.random() * 1e6)}`.replace(' ', '-'), password: PASSWORD, user_type: userType, must_change_password: mustChange })

const kept = new Map<string, Member>()

/** Returns a person with an access level, created once per test run, for tests that do not change the person. */
export async function getSharedMember(request: APIRequestContext, userType: 'op' | 'tm'): Promise<Member> {
  const found = kept.get(userType) ?? (await createMember(request, userType))
  kept.set(userType, found)
  return found
}
