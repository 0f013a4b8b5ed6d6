import { vi } from 'vitest'
import { isRecord, parseJson } from '@/lib/json'

interface Call {
  name: string
  query: URLSearchParams
  headers: Headers
  body: unknown
  /** The body when it is a JSON object, else an empty object. */
  json: Record<string, unknown>
}
type Answer = Response | object
type Reply = Answer | ((call: Call) => Answer | Promise<Answer>)

/** Creates a response as the gateway sends it: a status, and a body as JSON. */
export const createReply = (status: number, body?: unknown): Response =>
  new Response(body === undefined ? null : JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** Replaces `fetch` by a gateway that replies by method and path. Returns the calls that it has received so far. */
export function stubServer(replies: Record<string, Reply>): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(new URL(input, 'http://patio.test'), init)
    const address = new URL(request.url)
    const text = await request.text()
    const name = `${request.method} ${address.pathname.replace(/^\/api/, '')}`
    const json = parseJson(text, isRecord)
    const call = { name, query: address.searchParams, headers: request.headers, body: json ?? text, json: json ?? {} }
    calls.push(call)
    const found = replies[name] ?? createReply(404, { code: 'NOT_FOUND', message: `no reply for ${name}` })
    const answered = await (typeof found === 'function' ? found(call) : found)
    return answered instanceof Response ? answered.clone() : createReply(200, answered)
  })
  return calls
}
