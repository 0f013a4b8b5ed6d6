import createClient, { type Middleware } from 'openapi-fetch'
import { offline, problemOf } from './problem'
import type { paths } from './schema'
import { currentSession, endSession, ownerOf, rememberScreen } from './session'
import { noteSignal } from './signal'
import { createStore } from '@/lib/store'

const BASE = '/api'

/** How often a session has ended by itself in this tab; the page frame tells of each. */
export const expirations = createStore(0)

export function bearer(): Record<string, string> {
  const session = currentSession()
  return session === null ? {} : { authorization: `Bearer ${session.token}` }
}

/** Ends the session when an authenticated request was answered 401; the screen is remembered. */
export function noticeExpiry(sent: Headers, status: number): void {
  const session = currentSession()
  if (status !== 401 || session === null) return
  if (sent.get('authorization') !== `Bearer ${session.token}`) return
  rememberScreen(ownerOf(session.user))
  endSession()
  expirations.set(expirations.get() + 1)
}

const session: Middleware = {
  onRequest({ request, schemaPath }) {
    if (schemaPath === '/sessions' && request.method === 'POST') return
    for (const [name, value] of Object.entries(bearer())) if (!request.headers.has(name)) request.headers.set(name, value)
  },
  onResponse({ request, response }) {
    noteSignal(true)
    noticeExpiry(request.headers, response.status)
  },
  onError({ request }) {
    if (request.signal.aborted && !isTimeout(request.signal.reason)) return undefined
    noteSignal(false)
    return offline()
  },
}

/** A call that nobody answered in time went nowhere; one that is no longer wanted did not. */
const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError'

export const http = createClient<paths>({ baseUrl: BASE, fetch: (request) => globalThis.fetch(request) })
http.use(session)

interface Outcome<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The data of a call, or its Problem thrown. */
export async function answer<T>(call: Promise<Outcome<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await call
  if (!response.ok || data === undefined || data === null) throw problemOf(response.status, error)
  return data
}

/** Waits for a call that answers nothing. */
export async function done(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call
  if (!response.ok) throw problemOf(response.status, error)
}

/** A raw authenticated request for what is not JSON: files and event streams. */
export async function raw(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers({ ...bearer(), ...Object.fromEntries(new Headers(init.headers)) })
  const response = await globalThis.fetch(BASE + path, { ...init, headers }).catch(() => {
    if (init.signal?.aborted !== true) noteSignal(false)
    throw offline()
  })
  noteSignal(true)
  noticeExpiry(headers, response.status)
  if (response.ok) return response
  const text = await response.text()
  throw problemOf(response.status, parsed(text))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
