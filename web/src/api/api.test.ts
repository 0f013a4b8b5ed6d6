import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { OPERATOR, signInAs } from '@/testing/renderPage'
import { createReply, stubServer } from '@/testing/server'
import { lastSessionEndReason, fetchRawResponse, apiClient, unwrapResponse } from './client'
import { readServerSentEvents } from './serverSentEvents'
import { parseDownloadFileName } from './files'
import { ApiProblem, getErrorMessage } from './apiProblem'
import { reloadSession, getCurrentSession, endSessionAndKeepData, mustChangePassword, saveReturnPath, popReturnPath } from './session'
import { translate } from '@/lib/text'
import { deleteLocalDataOnSignOut } from '@/app/signOut'
import { vehicleListQuery } from '@/offline/queries'

afterEach(endSessionAndKeepData)
deleteLocalDataOnSignOut()
/** Collects how sessions end from now on. */
function watchEndings() {
  const seen: unknown[] = []
  onTestFinished(lastSessionEndReason.subscribe(() => void seen.push(lastSessionEndReason.get())))
  return seen
}
const caught = (call: Promise<unknown>) => call.then(() => null, (error: unknown) => error)

test('every call sends the token of the session', async () => {
  signInAs(OPERATOR)
  const calls = stubServer({ 'GET /me': { id: 3 } })
  await unwrapResponse(apiClient.GET('/me'))
  expect(calls[0]?.headers.get('authorization')).toBe('Bearer token of 1003')
})

test('a 401 ends the session once and saves the return path', async () => {
  signInAs(OPERATOR)
  window.history.replaceState(null, '', '/vehicle/7?yard=2')
  localStorage.setItem('draft:3:7', '"typed"')
  const ends = watchEndings()
  stubServer({ 'GET /me': createReply(401, { code: 'NOT_SIGNED_IN', message: 'expired' }) })
  await Promise.all([caught(unwrapResponse(apiClient.GET('/me'))), caught(fetchRawResponse('/me'))])
  expect([getCurrentSession(), Object.keys(sessionStorage), ends]).toEqual([null, ['returnTo'], ['expired']])
  expect(popReturnPath(OPERATOR)).toBe('/vehicle/7?yard=2')
  expect(localStorage.getItem('draft:3:7')).toBe('"typed"')
})

test('a revoked session leaves neither a return path nor drafts', async () => {
  signInAs(OPERATOR)
  window.history.replaceState(null, '', '/vehicle/7?yard=2')
  localStorage.setItem('draft:3:7', '"typed"')
  localStorage.setItem('draft:4:7', '"of another person"')
  const ends = watchEndings()
  stubServer({ 'GET /me': createReply(401, { code: 'SESSION_ENDED', message: 'ended' }) })
  await Promise.all([caught(unwrapResponse(apiClient.GET('/me'))), caught(fetchRawResponse('/me'))])
  expect([getCurrentSession(), Object.keys(sessionStorage), ends]).toEqual([null, [], ['ended']])
  await vi.waitFor(() => expect(localStorage.getItem('draft:3:7')).toBeNull())
  expect(localStorage.getItem('draft:4:7')).toBe('"of another person"')
})

test('a plain-text error has the code of its header', async () => {
  signInAs(OPERATOR)
  stubServer({ 'PUT /users/3': new Response('your password is needed', { status: 403, headers: { 'x-code': 'CONFIRM_PASSWORD' } }) })
  const problem = await caught(unwrapResponse(apiClient.PUT('/users/{id}', { params: { path: { id: 3 } }, body: {} })))
  expect(problem).toMatchObject({ name: 'ApiProblem', status: 403, code: 'CONFIRM_PASSWORD', message: 'your password is needed' })
  const ends = watchEndings()
  stubServer({ 'PUT /users/3': new Response('Sign in to continue.', { status: 401, headers: { 'x-code': 'NOT_SIGNED_IN' } }) })
  await caught(unwrapResponse(apiClient.PUT('/users/{id}', { params: { path: { id: 3 } }, body: {} })))
  expect(ends).toEqual(['expired'])
})

test('a required new password applies only to the session whose call was rejected', async () => {
  signInAs(OPERATOR)
  stubServer({ 'GET /me': createReply(403, { code: 'PASSWORD_MUST_CHANGE', message: '' }) })
  await caught(unwrapResponse(apiClient.GET('/me', { headers: { authorization: 'Bearer of an earlier session' } })))
  expect(mustChangePassword.get()).toBe(false)
  await caught(unwrapResponse(apiClient.GET('/me')))
  expect([mustChangePassword.get(), getCurrentSession()?.user.hmc]).toEqual([true, '1003'])
  signInAs(OPERATOR)
  expect(mustChangePassword.get()).toBe(false)
})

test('a 403 never ends the session', async () => {
  signInAs(OPERATOR)
  stubServer({ 'GET /me': createReply(403, { code: 'FORBIDDEN', message: 'not for operators' }) })
  const problem = await caught(unwrapResponse(apiClient.GET('/me')))
  expect(problem).toMatchObject({ status: 403 })
  expect(getCurrentSession()?.user.hmc).toBe('1003')
})

test('a wrong password does not count as an expired session', async () => {
  const ends = watchEndings()
  stubServer({ 'POST /sessions': createReply(401, { code: 'INVALID_CREDENTIALS', message: 'no', attempts_left: 3 }) })
  const problem = await caught(unwrapResponse(apiClient.POST('/sessions', { body: { hmc: 'x', password: 'y' } })))
  expect([problem instanceof ApiProblem && problem.number('attempts_left'), ends]).toEqual([3, []])
})

test('an unreachable server is reported in words', async () => {
  stubServer({ 'GET /me': () => { throw new TypeError('failed to fetch') } })
  expect(getErrorMessage(await caught(unwrapResponse(apiClient.GET('/me'))), translate)).toBe('Sem conexão. Verifique a internet e tente novamente.')
  expect(getErrorMessage(await caught(fetchRawResponse('/me')), translate)).toBe('Sem conexão. Verifique a internet e tente novamente.')
})

test.each(['user', 'JWT_TOKEN', 'SEAL_KEY', 'SESSION_ID'])('a session without its %s is cleared', (name) => {
  signInAs(OPERATOR)
  expect(sessionStorage.getItem(name)).not.toBeNull()
  sessionStorage.setItem(name, name === 'user' ? '{"hmc":' : '')
  reloadSession()
  expect([getCurrentSession(), Object.keys(sessionStorage)]).toEqual([null, []])
})

test('the return path of one person is not used for another', () => {
  window.history.replaceState(null, '', '/vehicle/7')
  saveReturnPath('3')
  expect(popReturnPath({ id: 4, hmc: '1004', user_type: 'op' })).toBeNull()
  expect(popReturnPath(OPERATOR)).toBeNull()
})

test('events are parsed across chunk boundaries', async () => {
  const chunks = ['event: progress\nda', 'ta: {"rows":1}\n', '\n: comment\n\nevent: progress\ndata: {"rows":2}\r\n\r\n']
  const body = new ReadableStream({ start: (stream) => { for (const chunk of chunks) stream.enqueue(new TextEncoder().encode(chunk)); stream.close() } })
  const events = []
  for await (const event of readServerSentEvents(new Response(body))) events.push(event)
  expect(events).toEqual([{ event: 'progress', data: '{"rows":1}' }, { event: 'progress', data: '{"rows":2}' }])
})

test('a downloaded file has the name that the server gives it', () => {
  expect(parseDownloadFileName('attachment; filename="report_a.xlsx"')).toBe('report_a.xlsx')
  expect(parseDownloadFileName("attachment; filename=x.xlsx; filename*=UTF-8''relat%C3%B3rio.xlsx")).toBe('relatório.xlsx')
  expect(parseDownloadFileName(null)).toBeNull()
})

test('an unchanged list is not downloaded again, unless it was changed in the cache', async () => {
  signInAs(OPERATOR)
  const row = { id: 1, vin_number: 'HB20 1', parking_space: 'A-1', yard_group: 'A', id_yard: 2, status: 'ok', inspected: true, version: 2 }
  const calls = stubServer({
    'GET /vehicles/campaign/7/all': ({ headers }) =>
      headers.get('if-none-match') === 'W/"7-3"'
        ? new Response(null, { status: 304 })
        : new Response(JSON.stringify([row]), { headers: { 'content-type': 'application/json', etag: 'W/"7-3"' } }),
  })
  const client = new QueryClient()
  const query = { ...vehicleListQuery(7), staleTime: 0 }
  const first = await client.fetchQuery(query)
  expect(await client.fetchQuery(query)).toBe(first)
  client.setQueryData(query.queryKey, (list) => list?.map((listed) => ({ ...listed, version: 3 })))
  expect(await client.fetchQuery(query)).toEqual(first)
  expect(calls.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, 'W/"7-3"', null])
})
