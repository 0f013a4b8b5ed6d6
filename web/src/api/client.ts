import createClient, { type Middleware } from 'openapi-fetch'
import { createStore } from '@/lib/store'
import { recordResponseStatus, setServerReachable } from './connectivity'
import { readErrorCode, createOfflineProblem, ApiProblem, toApiProblem } from './apiProblem'
import type { paths } from './schema'
import { getCurrentDataOwnerKey, getCurrentSession, endSessionAndKeepData, mustChangePassword, saveReturnPath } from './session'
import { hasRequiredFields } from './requiredFields'
import { signOutInThisTab } from './signOut'

const BASE = '/api'

/**
 * Reason why the last session in this tab ended without a sign-out: `ended` (revoked at the server) or `expired`. Null if no session has
 * ended this way.
 */
export const lastSessionEndReason = createStore<'ended' | 'expired' | null>(null)

function bearer(): Record<string, string> {
  const session = getCurrentSession()
  return session === null ? {} : { authorization: `Bearer ${session.token}` }
}

/**
 * Ends the session after a 401 response. A revoked session also loses its form drafts and its return path (page to open after the next
 * sign-in); an expired session keeps both.
 */
function endSessionFor(code: string): void {
  if (code !== 'SESSION_ENDED') return expireSession()
  signOutInThisTab()
  lastSessionEndReason.set('ended')
}

/** Ends the expired session in this tab. The form drafts and the return path (page to open after the next sign-in) are kept. */
export function expireSession(): void {
  saveReturnPath(getCurrentDataOwnerKey())
  endSessionAndKeepData()
  lastSessionEndReason.set('expired')
}

let isRenewing = false

/**
 * Runs `act`, a call that replaces the current session with a new one. While `act` runs, a 401 response to another call does not end the
 * session in this tab, because the other call may have sent the token of the replaced session.
 */
export async function runSessionRenewal(act: () => Promise<void>): Promise<void> {
  isRenewing = true
  try {
    await act()
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) endSessionFor(error.code)
    throw error
  } finally {
    isRenewing = false
  }
}

const session: Middleware = {
  onRequest({ request, schemaPath }) {
    if (schemaPath.startsWith('/sessions') && request.method === 'POST') return
    for (const [name, value] of Object.entries(bearer())) if (!request.headers.has(name)) request.headers.set(name, value)
  },
  async onResponse({ request, response }) {
    await checkResponse(request.headers, response)
  },
  onError({ request }) {
    if (request.signal.aborted && !isTimeout(request.signal.reason)) return undefined
    setServerReachable(false)
    return createOfflineProblem()
  },
}

/** Returns whether a call was aborted by its timeout, not by the caller. Only a timeout marks the server as unreachable. */
const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError'

/** The typed HTTP client of the gateway's API. The client adds the session's token and checks every response. */
export const apiClient = createClient<paths>({ baseUrl: BASE, fetch: (request) => globalThis.fetch(request) })
apiClient.use(session)

/**
 * Records that the server is unreachable. Called when a captive portal or a proxy, not the gateway, has sent the response. Returns the
 * `ApiProblem` for the caller to throw.
 */
export function markServerUnreachable(): ApiProblem {
  setServerReachable(false)
  return createOfflineProblem()
}

/** Returns whether a response can come from the gateway. The gateway sends neither redirects nor HTML to API calls; captive portals do. */
const isFromGateway = (response: Response): boolean => !response.redirected && response.headers.get('content-type')?.includes('html') !== true

/** Throws when a response is not from the gateway. Ends the session or requires a new password if the error code says so. */
async function checkResponse(sent: Headers, response: Response): Promise<void> {
  if (!isFromGateway(response)) throw markServerUnreachable()
  const { status } = response
  setServerReachable(true)
  recordResponseStatus(status)
  if (status !== 401 && status !== 403) return
  const code = readErrorCode(response, parsed(await response.clone().text()))
  if (status === 401 && code === null) throw markServerUnreachable()
  if (sent.get('authorization') !== bearer().authorization) return // the call belongs to an earlier session, or to none
  if (status === 401 && !isRenewing) endSessionFor(code ?? '')
  else if (code === 'PASSWORD_MUST_CHANGE') mustChangePassword.set(true)
}

interface Outcome<T> {
  data?: T
  error?: unknown
  response: Response
}

/**
 * Returns the response data of an API call. Throws the `ApiProblem` of a failed call. If the data lacks `requiredFields`, throws the
 * `ApiProblem` for an unreachable server, because a captive portal (sign-in page of a network) may have sent the response.
 */
export async function unwrapResponse<T>(call: Promise<Outcome<T>>, requiredFields = ''): Promise<NonNullable<T>> {
  const { data, error, response } = await call.catch(rethrow)
  if (!response.ok) throw toApiProblem(response, error)
  if (data === undefined || data === null || !hasRequiredFields(data, requiredFields)) throw markServerUnreachable()
  return data
}

/** Waits for an API call whose response has no body. Throws the `ApiProblem` of a failed call. */
export async function unwrapEmptyResponse(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call.catch(rethrow)
  if (!response.ok) throw toApiProblem(response, error)
}

/**
 * Rethrows the error of an API call. A JSON syntax error is thrown as the `ApiProblem` for an unreachable server, because a captive portal
 * has sent the response.
 */
function rethrow(cause: unknown): never {
  throw cause instanceof SyntaxError ? markServerUnreachable() : cause
}

/** Sends an authenticated request for a file or an event stream. Throws an `ApiProblem` unless the status of the response is 2xx. */
export async function fetchRawResponse(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers({ ...bearer(), ...Object.fromEntries(new Headers(init.headers)) })
  const response = await globalThis.fetch(BASE + path, { ...init, headers }).catch(() => {
    if (init.signal?.aborted !== true) setServerReachable(false)
    throw createOfflineProblem()
  })
  await checkResponse(headers, response)
  if (response.ok) return response
  throw toApiProblem(response, parsed(await response.text()))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
