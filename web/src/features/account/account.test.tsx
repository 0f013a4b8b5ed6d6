import { screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { getCurrentSession, endSessionAndKeepData, mustChangePassword } from '@/api/session'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage } from '@/testing/renderPage'
import AccountPage from './AccountPage'
import ForcedPasswordChangePage from './ForcedPasswordChangePage'

afterEach(endSessionAndKeepData)

const BEGUN = { token: 'new', id: 3, hmc: '3000', user_type: 'op', session_id: 's2', seal_key: 'k', must_change_password: false }

async function change(answer: Response, confirmation = 'a-new-word-1', begun: Response | object = BEGUN) {
  signInAs(OPERATOR)
  const calls = stubServer({ 'PUT /me/password': answer, 'GET /me/sessions': { sessions: [] }, 'POST /sessions': begun })
  const person = renderPage(AccountPage, '/account', '/account')
  await person.type(screen.getByLabelText('Current password'), 'the-old-word')
  await person.type(screen.getByLabelText('New password'), 'a-new-word-1')
  await person.type(screen.getByLabelText('Confirm new password'), confirmation)
  await person.click(screen.getByRole('button', { name: 'Change my password' }))
  return calls.filter(({ name }) => name === 'PUT /me/password')
}

test('the own password is changed with the old one, and the session goes on', async () => {
  const calls = await change(createReply(204))
  expect(await screen.findByText('Senha alterada com sucesso!')).toBeTruthy()
  expect(calls.map(({ body }) => body)).toEqual([{ old: 'the-old-word', new: 'a-new-word-1' }])
  expect(getCurrentSession()).toMatchObject({ id: 's2', token: 'new' })
})

test('a changed password without a new session leads to the sign-in, and what was typed stays', async () => {
  localStorage.setItem('draft:3:9', '{}')
  await change(createReply(204), 'a-new-word-1', createReply(503, { code: 'UNAVAILABLE', message: '' }))
  await vi.waitFor(() => expect(getCurrentSession()).toBeNull())
  expect(localStorage.getItem('draft:3:9')).toBe('{}')
})

test('a session that has expired before its password was changed leads to the sign-in', async () => {
  await change(createReply(401, { code: 'NOT_SIGNED_IN', message: 'Sign in to continue.' }))
  await vi.waitFor(() => expect(getCurrentSession()).toBeNull())
})

test('two different new passwords are not sent', async () => {
  expect(await change(createReply(204), 'something-else')).toEqual([])
  expect(screen.getByText('As senhas não coincidem.')).toBeTruthy()
})

test('a wrong old password is reported', async () => {
  await change(createReply(422, { code: 'WRONG_PASSWORD', message: 'The current password is incorrect.' }))
  expect(await screen.findByText('Não foi possível alterar a senha. A senha atual está incorreta.')).toBeTruthy()
})

const session = (id: string, part: object = {}) => ({
  id, current: false, device: 'Chrome on Android', address: '10.0.0.7', created_at: '2026-11-27T10:00:00Z', last_used_at: new Date(Date.now() - 5 * 60_000).toISOString(), expires_at: '2026-11-27T22:00:00Z', ...part,
})

function openSessions(answers: Parameters<typeof stubServer>[0] = {}) {
  signInAs(OPERATOR)
  let open = [session('b', { device: '', address: '' }), session('a', { current: true }), session('c')]
  const calls = stubServer({
    'GET /me/sessions': () => ({ sessions: open }),
    'DELETE /me/sessions/c': () => {
      open = open.filter(({ id }) => id !== 'c')
      return { success: true }
    },
    'DELETE /me/sessions': () => {
      open = open.filter(({ current }) => current)
      return { ended: 2 }
    },
    ...answers,
  })
  const person = renderPage(AccountPage, '/account', '/account')
  return { person, calls, list: () => within(screen.getByRole('region', { name: 'Open sessions' })).getAllByRole('listitem').map(({ textContent }) => textContent) }
}
const sessionsOn = async () => within(await screen.findByRole('region', { name: 'Open sessions' }))

test('one sees where one is signed in, this device first, and ends one of the others', async () => {
  const { person, list, calls } = openSessions()
  const card = await sessionsOn()
  await card.findAllByRole('listitem')
  expect(list()).toEqual([
    'Chrome on Android (this device)Desde 27/11/2026 07:00 · 10.0.0.7Último uso agora', 'Unknown deviceDesde 27/11/2026 07:00Último uso há 5 minutosEnd', 'Chrome on AndroidDesde 27/11/2026 07:00 · 10.0.0.7Último uso há 5 minutosEnd',
  ])
  await person.click(card.getByRole('button', { name: 'End the session on Chrome on Android, 10.0.0.7' }))
  expect(await screen.findByText('Sessão encerrada.')).toBeTruthy()
  await vi.waitFor(() => expect(list()).toHaveLength(2))
  expect(calls.filter(({ name }) => name.startsWith('DELETE')).map(({ name }) => name)).toEqual(['DELETE /me/sessions/c'])
})

test('all others are ended at once, and then there is nothing more to end', async () => {
  const { person, list } = openSessions()
  const card = await sessionsOn()
  await person.click(await card.findByRole('button', { name: 'End all others' }))
  expect(await screen.findByText('Sessões encerradas.')).toBeTruthy()
  await vi.waitFor(() => expect(list()).toHaveLength(1))
  expect(card.queryByRole('button')).toBeNull()
})

test('a session that does not exist any more counts as ended; one that cannot be ended says why', async () => {
  const { person } = openSessions({ 'DELETE /me/sessions/c': createReply(404, { code: 'NO_SESSION', message: '' }), 'DELETE /me/sessions/b': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  const card = await sessionsOn()
  await person.click(await card.findByRole('button', { name: 'End the session on Unknown device' }))
  expect(await card.findByText('Não foi possível encerrar a sessão. O servidor está ocupado. Tente novamente em instantes.')).toBeTruthy()
  await person.click(card.getByRole('button', { name: 'End the session on Chrome on Android, 10.0.0.7' }))
  await vi.waitFor(() => expect(card.queryByRole('alert')).toBeNull())
  expect(await screen.findByText('Sessão encerrada.')).toBeTruthy()
})

test('sessions that cannot be loaded say so and are asked for again', async () => {
  const { person, list } = openSessions({ 'GET /me/sessions': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  const card = await sessionsOn()
  expect(await card.findByText('Não foi possível carregar as sessões.')).toBeTruthy()
  stubServer({ 'GET /me/sessions': { sessions: [session('a', { current: true })] } })
  await person.click(card.getByRole('button', { name: 'Try again' }))
  await vi.waitFor(() => expect(list()).toHaveLength(1))
})

test('a password that another person has set is changed, and the sign-in is logged then; or one signs out', async () => {
  signInAs(OPERATOR)
  mustChangePassword.set(true)
  const calls = stubServer({ 'PUT /me/password': createReply(204), 'POST /logs/login': createReply(204), 'POST /sessions': BEGUN })
  const signOut = vi.fn()
  const person = renderPage(() => <ForcedPasswordChangePage onSignOut={signOut} />, '/vehicle/7', '/vehicle/7')
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Choose a new password')
  await person.click(screen.getByRole('button', { name: 'Logout' }))
  expect(signOut).toHaveBeenCalledTimes(1)
  await person.type(screen.getByLabelText('Current password'), 'the-old-word')
  await person.type(screen.getByLabelText('New password'), 'a-new-word-1')
  await person.type(screen.getByLabelText('Confirm new password'), 'a-new-word-1')
  await person.click(screen.getByRole('button', { name: 'Change my password' }))
  await vi.waitFor(() => expect(mustChangePassword.get()).toBe(false))
  expect(calls.map(({ name }) => name)).toEqual(['PUT /me/password', 'POST /sessions', 'POST /logs/login'])
})
