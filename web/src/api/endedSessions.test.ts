import { beforeEach, expect, test, vi } from 'vitest'
import { createReply, stubServer } from '@/testing/server'
import { OPERATOR, createSession, SUPERVISOR, signInAs } from '@/testing/renderPage'
import { endSessionOnServer, reportEndedSessions, startReportingEndedSessions } from './endedSessions'
import { setServerReachable } from './connectivity'

const retained = (): unknown => JSON.parse(localStorage.getItem('endedSessions') ?? '[]')
const noNetwork = () => Promise.reject(new Error('no network'))

beforeEach(() => setServerReachable(true))

test('a session that was ended at the server leaves no id on the device', async () => {
  const calls = stubServer({ 'DELETE /sessions': () => {
    expect(retained()).toEqual(['session of 1003'])
    return createReply(204)
  } })
  await endSessionOnServer(createSession(OPERATOR))
  expect([calls.map(({ headers }) => headers.get('authorization')), retained()]).toEqual([['Bearer token of 1003'], []])
  await reportEndedSessions()
  expect(calls).toHaveLength(1)
})

test('a session ended offline is reported once, by its id and without a token, also while another person is signed in', async () => {
  stubServer({ 'DELETE /sessions': noNetwork })
  await expect(endSessionOnServer(createSession(OPERATOR))).rejects.toMatchObject({ code: 'OFFLINE' })
  expect(retained()).toEqual(['session of 1003'])
  expect(JSON.stringify({ ...localStorage })).not.toContain('token of 1003')

  stubServer({ 'POST /sessions/ended': noNetwork })
  await reportEndedSessions()
  stubServer({ 'POST /sessions/ended': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  await reportEndedSessions()
  expect(retained()).toEqual(['session of 1003'])

  signInAs(SUPERVISOR)
  const calls = stubServer({ 'POST /sessions/ended': createReply(204) })
  await Promise.all([reportEndedSessions(), reportEndedSessions()])
  await reportEndedSessions()
  expect(calls.map(({ body, headers }) => [body, headers.get('authorization')])).toEqual([[{ session_ids: ['session of 1003'] }, null]])
  expect(retained()).toEqual([])
})

test('ended sessions are reported at the start and whenever the device is online again', async () => {
  localStorage.setItem('endedSessions', '["a"]')
  const calls = stubServer({ 'POST /sessions/ended': noNetwork })
  startReportingEndedSessions()
  await vi.waitFor(() => expect(calls).toHaveLength(1))
  await reportEndedSessions()
  const tries = calls.length
  window.dispatchEvent(new Event('online'))
  await vi.waitFor(() => expect(calls.length).toBeGreaterThan(tries))
  await reportEndedSessions()
  const later = stubServer({ 'POST /sessions/ended': createReply(204) })
  setServerReachable(true)
  await vi.waitFor(() => expect(retained()).toEqual([]))
  expect(later).toHaveLength(1)
})

test('at most the twenty newest ids are stored; invalid stored values are dropped', async () => {
  stubServer({ 'DELETE /sessions': noNetwork })
  for (let n = 1; n <= 22; n++) await endSessionOnServer({ ...createSession(OPERATOR), id: `session ${n}` }).catch(() => undefined)
  expect(retained()).toEqual(Array.from({ length: 20 }, (_, index) => `session ${index + 3}`))
  stubServer({ 'POST /sessions/ended': createReply(422, { code: 'INVALID', message: '' }) })
  await reportEndedSessions()
  expect(retained()).toEqual([])
  localStorage.setItem('endedSessions', '{"damaged":')
  const calls = stubServer({})
  await reportEndedSessions()
  expect(calls).toEqual([])
})
