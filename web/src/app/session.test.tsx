import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getCurrentSession, endSessionAndKeepData, mustChangePassword } from '@/api/session'
import { navigate } from '@/lib/route'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, OPERATOR, SUPERVISOR } from '@/testing/renderPage'
import { App } from './App'
import { queryClient } from './queryClient'

const people = [{ id: 3, hmc: '1003', user_type: 'op', created_at: '2026-11-01T12:00:00Z', last_login_at: null }]
const me = { id: 2, hmc: '1002', user_type: 'admin', developer: false, product_name: 'Patio', must_change_password: false }
const confirmFirst = () => new Response('confirm', { status: 403, headers: { 'x-code': 'CONFIRM_PASSWORD' } })

beforeEach(() => queryClient.clear())
afterEach(() => act(endSessionAndKeepData))

function open(path: string, answers: Parameters<typeof stubServer>[0]) {
  const calls = stubServer({ 'GET /me': me, 'GET /users': people, 'GET /me/sessions': { sessions: [] }, 'POST /logs/page-view': createReply(204), ...answers })
  navigate(path)
  render(<App />)
  return { person: userEvent.setup(), sent: (name: string) => calls.filter((call) => call.name === name).map(({ body }) => body) }
}

/** Signs in as a supervisor who promotes a user. The server requires the password until it is entered. */
async function promote(answers: Parameters<typeof stubServer>[0] = {}) {
  let confirmed = false
  signInAs(SUPERVISOR)
  const screenOf = open('/user-management?panel=permission', {
    'PUT /users/3': () => (confirmed ? { ...people[0], user_type: 'admin' } : confirmFirst()),
    'POST /me/confirm': ({ json }) => {
      confirmed = json.password === 'right'
      return confirmed ? createReply(204) : createReply(422, { code: 'WRONG_PASSWORD', message: 'The current password is incorrect.' })
    },
    ...answers,
  })
  await screen.findByRole('option', { name: '1003 · Operator' }, { timeout: 10_000 })
  await screenOf.person.selectOptions(screen.getByLabelText('User'), '1003 · Operator')
  await screenOf.person.selectOptions(screen.getByLabelText('New permission'), 'Supervisor')
  await screenOf.person.click(within(screen.getByRole('form')).getByRole('button'))
  return { ...screenOf, dialog: within(await screen.findByRole('dialog', { name: 'Enter your password to continue' })) }
}

test('a protected change asks for the password, reports a wrong one, and continues with the right one', async () => {
  const { person, sent, dialog } = await promote()
  await person.type(dialog.getByLabelText('Your password'), 'wrong')
  await person.click(dialog.getByRole('button', { name: 'Continue' }))
  expect(await dialog.findByText('A senha atual está incorreta.')).toBeTruthy()
  await person.clear(dialog.getByLabelText('Your password'))
  await person.type(dialog.getByLabelText('Your password'), 'right')
  await person.click(dialog.getByRole('button', { name: 'Continue' }))
  expect(await screen.findByText('Permissão alterada com sucesso!')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect([sent('POST /me/confirm'), sent('PUT /users/3').length]).toEqual([[{ password: 'wrong' }, { password: 'right' }], 2])
})

test('a cancelled password dialog leaves the form unchanged, and opens again at the next attempt', async () => {
  const { person, sent, dialog } = await promote()
  await person.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect([screen.getByLabelText('New permission'), screen.queryByRole('alert')]).toEqual([expect.objectContaining({ value: 'admin' }), null])
  await person.click(within(screen.getByRole('form')).getByRole('button'))
  expect(await screen.findByRole('dialog')).toBeTruthy()
  expect(sent('PUT /users/3')).toHaveLength(2)
})

test('a call that is rejected again after the password was entered shows the reason and does not ask again', async () => {
  const { person, sent, dialog } = await promote({ 'PUT /users/3': confirmFirst, 'POST /me/confirm': createReply(204) })
  await person.type(dialog.getByLabelText('Your password'), 'right')
  await person.click(dialog.getByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(sent('PUT /users/3')).toHaveLength(2))
  expect(await screen.findByRole('alert')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the password dialog closes when the session ends', async () => {
  await promote()
  act(endSessionAndKeepData)
  await screen.findByRole('form', { name: 'Sign in' })
  act(() => signInAs(OPERATOR))
  await waitFor(() => expect(screen.queryByRole('form', { name: 'Sign in' })).toBeNull())
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a person who has to choose a new password sees nothing else, and then continues to the requested page', async () => {
  signInAs(SUPERVISOR)
  const { person } = open('/user-management?panel=active', { 'GET /users': createReply(403, { code: 'PASSWORD_MUST_CHANGE', message: '' }), 'PUT /me/password': createReply(204), 'POST /logs/login': createReply(204) })
  expect(await screen.findByRole('heading', { name: 'Choose a new password' })).toBeTruthy()
  expect([screen.queryByRole('button', { name: 'Open menu' }), screen.queryByRole('link'), window.location.pathname]).toEqual([null, null, '/user-management'])
  stubServer({ 'GET /me': me, 'GET /users': people, 'POST /logs/page-view': createReply(204), 'PUT /me/password': createReply(204), 'POST /sessions': { token: 'new', id: 2, hmc: '1000', user_type: 'admin', session_id: 's2', seal_key: 'k', must_change_password: false }, 'POST /logs/login': createReply(204) })
  await person.type(screen.getByLabelText('Current password'), 'the-old-word')
  await person.type(screen.getByLabelText('New password'), 'a-new-word-1')
  await person.type(screen.getByLabelText('Confirm new password'), 'a-new-word-1')
  await person.click(screen.getByRole('button', { name: 'Change my password' }))
  expect(await screen.findByRole('button', { name: 'Actions for 1003' })).toBeTruthy()
})

test('a person who has to choose a new password can sign out', async () => {
  signInAs(SUPERVISOR)
  const { person, sent } = open('/user-management?panel=active', { 'GET /users': createReply(403, { code: 'PASSWORD_MUST_CHANGE', message: '' }), 'DELETE /sessions': createReply(204) })
  expect(await screen.findByRole('heading', { name: 'Choose a new password' })).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Logout' }))
  expect(await screen.findByRole('form', { name: 'Sign in' })).toBeTruthy()
  await waitFor(() => expect(sent('DELETE /sessions')).toHaveLength(1))
  expect([getCurrentSession(), localStorage.getItem('endedSessions')]).toEqual([null, null])
  expect(mustChangePassword.get()).toBe(true) // until the next sign-in
})

test('a revoked session is announced on the sign-in', async () => {
  signInAs(SUPERVISOR)
  open('/user-management?panel=active', { 'GET /users': createReply(401, { code: 'SESSION_ENDED', message: '' }) })
  expect(await screen.findByText('Esta sessão foi encerrada. Entre novamente.')).toBeTruthy()
  expect(await screen.findByRole('form', { name: 'Sign in' })).toBeTruthy()
  expect(sessionStorage.length).toBe(0)
})

test('signing out offline stores the id of the session, which is ended when the next person signs in', async () => {
  signInAs(SUPERVISOR)
  const { person } = open('/account', { 'DELETE /sessions': () => Promise.reject(new Error('no network')) })
  await person.click(await screen.findByRole('button', { name: 'Open menu' }))
  await person.click(within(await screen.findByRole('dialog', { name: 'Menu' })).getByRole('button', { name: 'Logout' }))
  expect(await screen.findByRole('form', { name: 'Sign in' })).toBeTruthy()
  expect(localStorage.getItem('endedSessions')).toBe('["session of 1002"]')
  const calls = stubServer({ 'GET /me': me, 'POST /sessions/ended': createReply(204) })
  act(() => {
    signInAs(OPERATOR)
    navigate('/account')
  })
  await waitFor(() => expect(localStorage.getItem('endedSessions')).toBeNull())
  expect(calls.filter(({ name }) => name === 'POST /sessions/ended').map(({ body, headers }) => [body, headers.get('authorization')])).toEqual([[{ session_ids: ['session of 1002'] }, null]])
})
