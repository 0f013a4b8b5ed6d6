import { expect, type APIRequestContext, type Page, type Request } from '@playwright/test'
import { supervisor, unique, type Person } from './people'

interface Session {
  token: string
  id: number
  hmc: string
  user_type: string
}
export interface Member extends Person {
  id: number
}

const sessions = new Map<string, Session>()

/** The session of a person, begun once a run. */
export async function sessionOf(request: APIRequestContext, { hmc, password }: Person): Promise<Session> {
  const known = sessions.get(hmc)
  if (known !== undefined) return known
  const response = await request.post('/api/sessions', { data: { hmc, password } })
  expect(response.status()).toBe(200)
  const session = (await response.json()) as Session
  sessions.set(hmc, session)
  return session
}

export const headersOf = async (request: APIRequestContext, person: Person) => ({ authorization: `Bearer ${(await sessionOf(request, person)).token}` })

/** Opens a screen as a person, without the way over the sign-in. */
export async function enter(page: Page, person: Person, path: string): Promise<void> {
  const { token, id, hmc, user_type } = await sessionOf(page.request, person)
  watch(page)
  if (!page.url().startsWith('http')) await page.goto('/favicon.svg')
  await page.evaluate(([mark, user]) => {
    sessionStorage.setItem('JWT_TOKEN', mark ?? '')
    sessionStorage.setItem('user', user ?? '')
  }, [token, JSON.stringify({ id, hmc, user_type })])
  await page.goto(path)
}

const inFlight = new WeakMap<Page, Set<Request>>()

/** Counts the requests on their way; the live line is always open and does not count. */
function watch(page: Page): void {
  if (inFlight.has(page)) return
  const open = new Set<Request>()
  inFlight.set(page, open)
  page.on('request', (request) => !request.url().includes('/api/events') && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

const QUIET_MS = 500

/** Waits until nothing has been on its way for half a second. */
export async function quiet(page: Page): Promise<void> {
  let since = Date.now()
  await expect.poll(() => {
    if ((inFlight.get(page)?.size ?? 0) > 0) since = Date.now()
    return Date.now() - since
  }, { intervals: [50], timeout: 30_000 }).toBeGreaterThan(QUIET_MS)
}

/** Waits until the phone has kept the pages, and nothing is loading any more. */
export async function keptByPhone(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await globalThis.navigator.serviceWorker.ready
  })
  await expect.poll(() => page.evaluate(() => globalThis.navigator.serviceWorker.controller !== null)).toBe(true)
  await quiet(page)
}

const PASSWORD = 'yard-walk-2026!'

/** A new person of an access level. */
export async function member(request: APIRequestContext, userType: 'op' | 'tm' | 'admin'): Promise<Member> {
  const hmc = `${unique(userType)}${Math.floor(Math.random() * 1e6)}`.replace(' ', '-')
  const response = await request.post('/api/sign-up', { headers: await headersOf(request, supervisor), data: { hmc, password: PASSWORD, user_type: userType } })
  expect(response.status()).toBe(201)
  const { id } = (await response.json()) as { id: number }
  return { id, hmc, password: PASSWORD }
}

const kept = new Map<string, Member>()

/** A person of an access level, made once a run; for tests that do not change the person. */
export async function memberOf(request: APIRequestContext, userType: 'op' | 'tm'): Promise<Member> {
  const found = kept.get(userType) ?? (await member(request, userType))
  kept.set(userType, found)
  return found
}
