import { vi } from 'vitest'

interface Call {
  name: string
  query: URLSearchParams
  headers: Headers
  body: unknown
}
type Answer = Response | object
type Reply = Answer | ((call: Call) => Answer | Promise<Answer>)

/** Answers as the gateway would: a status, and a body as JSON. */
export const reply = (status: number, body?: unknown): Response =>
  new Response(body === undefined ? null : JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** Stands in for the gateway: answers by method and path, and remembers what was asked. */
export function serve(replies: Record<string, Reply>): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(new URL(input, 'http://patio.test'), init)
    const address = new URL(request.url)
    const text = await request.text()
    const name = `${request.method} ${address.pathname.replace(/^\/api/, '')}`
    const call = { name, query: address.searchParams, headers: request.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
    calls.push(call)
    const found = replies[name] ?? reply(404, { code: 'NOT_FOUND', message: `nobody answers ${name}` })
    const answered = await (typeof found === 'function' ? found(call) : found)
    return answered instanceof Response ? answered.clone() : reply(200, answered)
  })
  return calls
}
