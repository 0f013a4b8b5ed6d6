import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import { OPERATOR, asUser } from '@/testing/show'
import { reply, serve } from '@/testing/server'
import { answer, expirations, http, raw } from './client'
import { eventsIn } from './events'
import { fileNameIn } from './files'
import { Problem, wordsFor } from './problem'
import { wholeListQuery } from './queries'
import { checkSession, currentSession, endSession, rememberScreen, takeScreen } from './session'
import { translate } from '@/lib/text'

afterEach(endSession)
const caught = (call: Promise<unknown>) => call.then(() => null, (error: unknown) => error)

test('every call carries the bearer of the session', async () => {
  asUser(OPERATOR)
  const calls = serve({ 'GET /me': { id: 3 } })
  await answer(http.GET('/me'))
  expect(calls[0]?.headers.get('authorization')).toBe('Bearer token of 1003')
})

test('a 401 ends the session, remembers the screen and tells once', async () => {
  asUser(OPERATOR)
  window.history.replaceState(null, '', '/vehicle/7?yard=2')
  const before = expirations.get()
  serve({ 'GET /me': reply(401, { code: 'EXPIRED', message: 'expired' }) })
  await Promise.all([caught(answer(http.GET('/me'))), caught(raw('/me'))])
  expect([currentSession(), sessionStorage.getItem('JWT_TOKEN'), expirations.get() - before]).toEqual([null, null, 1])
  expect(takeScreen(OPERATOR)).toBe('/vehicle/7?yard=2')
})

test('a 403 never ends the session', async () => {
  asUser(OPERATOR)
  serve({ 'GET /me': reply(403, { code: 'FORBIDDEN', message: 'not for operators' }) })
  const problem = await caught(answer(http.GET('/me')))
  expect([(problem as Problem).status, currentSession()?.user.hmc]).toEqual([403, '1003'])
})

test('a wrong password is no expired session', async () => {
  const before = expirations.get()
  serve({ 'POST /sessions': reply(401, { code: 'INVALID_CREDENTIALS', message: 'no', attempts_left: 3 }) })
  const problem = await caught(answer(http.POST('/sessions', { body: { hmc: 'x', password: 'y' } })))
  expect([(problem as Problem).number('attempts_left'), expirations.get() - before]).toEqual([3, 0])
})

test('a network that is away is said in words', async () => {
  serve({ 'GET /me': () => { throw new TypeError('failed to fetch') } })
  expect(wordsFor(await caught(answer(http.GET('/me'))), translate)).toBe('Sem conexão. Verifique a rede e tente novamente.')
  expect(wordsFor(await caught(raw('/me')), translate)).toBe('Sem conexão. Verifique a rede e tente novamente.')
})

test('damaged user data clears the session', () => {
  asUser(OPERATOR)
  sessionStorage.setItem('user', '{"hmc":')
  checkSession()
  expect([currentSession(), sessionStorage.getItem('JWT_TOKEN')]).toEqual([null, null])
})

test('the remembered screen of one person is not opened for another', () => {
  window.history.replaceState(null, '', '/vehicle/7')
  rememberScreen('3')
  expect(takeScreen({ id: 4, hmc: '1004', user_type: 'op' })).toBeNull()
  expect(takeScreen(OPERATOR)).toBeNull()
})

test('events are read across the borders of chunks', async () => {
  const chunks = ['event: progress\nda', 'ta: {"rows":1}\n', '\n: comment\n\nevent: progress\ndata: {"rows":2}\r\n\r\n']
  const body = new ReadableStream({ start: (stream) => { for (const chunk of chunks) stream.enqueue(new TextEncoder().encode(chunk)); stream.close() } })
  const events = []
  for await (const event of eventsIn(new Response(body))) events.push(event)
  expect(events).toEqual([{ event: 'progress', data: '{"rows":1}' }, { event: 'progress', data: '{"rows":2}' }])
})

test('a file keeps the name that the server gives it', () => {
  expect(fileNameIn('attachment; filename="report_a.xlsx"')).toBe('report_a.xlsx')
  expect(fileNameIn("attachment; filename=x.xlsx; filename*=UTF-8''relat%C3%B3rio.xlsx")).toBe('relatório.xlsx')
  expect(fileNameIn(null)).toBeNull()
})

test('a list that has not changed is not sent again, one that was changed here is', async () => {
  asUser(OPERATOR)
  const row = { id: 1, vin_number: 'HB20 1', parking_space: 'A-1', yard_group: 'A', id_yard: 2, status: 'ok', inspected: true, version: 2 }
  const calls = serve({
    'GET /vehicles/campaign/7/all': ({ headers }) =>
      headers.get('if-none-match') === 'W/"7-3"'
        ? new Response(null, { status: 304 })
        : new Response(JSON.stringify([row]), { headers: { 'content-type': 'application/json', etag: 'W/"7-3"' } }),
  })
  const client = new QueryClient()
  const query = { ...wholeListQuery(7), staleTime: 0 }
  const first = await client.fetchQuery(query)
  expect(await client.fetchQuery(query)).toBe(first)
  client.setQueryData(query.queryKey, (list) => list?.map((listed) => ({ ...listed, version: 3 })))
  expect(await client.fetchQuery(query)).toEqual(first)
  expect(calls.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, 'W/"7-3"', null])
})
