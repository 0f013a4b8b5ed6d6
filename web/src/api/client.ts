import createClient, { type Middleware } from 'openapi-fetch'
import { offline, problemOf, type Problem } from './problem'
import type { paths } from './schema'
import { currentSession, endSession, ownerOf, rememberScreen } from './session'
import { isShaped } from './shape'
import { noteSignal } from './signal'
import { createStore } from '@/lib/store'
import { isRecord } from '@/lib/stored'

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
  async onResponse({ request, response }) {
    await judge(request.headers, response)
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

/** An answer of a network that asks for a login first is as good as none. */
export function strangers(): Problem {
  noteSignal(false)
  return offline()
}

/** Whether an answer may be the gateway's, which sends nobody elsewhere and answers no pages. */
const isOurs = (response: Response): boolean => !response.redirected && response.headers.get('content-type')?.includes('html') !== true

/** Whether a body refuses as the gateway does, with a code. */
const refuses = (body: unknown): boolean => isRecord(body) && (typeof body.code === 'string' || typeof body.Message === 'string')

/** Throws when an answer is somebody else's; one that refuses the session ends it. */
async function judge(sent: Headers, response: Response): Promise<void> {
  if (!isOurs(response)) throw strangers()
  noteSignal(true)
  if (response.status === 401 && !refuses(parsed(await response.clone().text()))) throw strangers()
  noticeExpiry(sent, response.status)
}

interface Outcome<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The data of a call, or its Problem thrown; data of another shape is the answer of somebody else. */
export async function answer<T>(call: Promise<Outcome<T>>, shape = ''): Promise<NonNullable<T>> {
  const { data, error, response } = await call.catch(unparsed)
  if (!response.ok) throw problemOf(response.status, error)
  if (data === undefined || data === null || !isShaped(data, shape)) throw strangers()
  return data
}

/** Waits for a call that answers nothing. */
export async function done(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call.catch(unparsed)
  if (!response.ok) throw problemOf(response.status, error)
}

/** What announces JSON and is none comes from somebody else. */
function unparsed(cause: unknown): never {
  throw cause instanceof SyntaxError ? strangers() : cause
}

/** A raw authenticated request for what is not JSON: files and event streams. */
export async function raw(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers({ ...bearer(), ...Object.fromEntries(new Headers(init.headers)) })
  const response = await globalThis.fetch(BASE + path, { ...init, headers }).catch(() => {
    if (init.signal?.aborted !== true) noteSignal(false)
    throw offline()
  })
  await judge(headers, response)
  if (response.ok) return response
  throw problemOf(response.status, parsed(await response.text()))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
