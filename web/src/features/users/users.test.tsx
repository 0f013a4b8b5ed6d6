import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { passwordPrompt } from '@/api/passwordPrompt'
import { ApiProblem } from '@/api/apiProblem'
import { endSessionAndKeepData } from '@/api/session'
import { createReply, stubServer } from '@/testing/server'
import { expectPresent } from '@/testing/createFake'
import { describeUserChangeError } from './api'
import { findNewUserFormError, findPasswordFormError } from './newUserValidation'
import { chooseUserAction, getButton, getForm, openUserPage, createUser } from '@/testing/userPage'

afterEach(endSessionAndKeepData)

test('only one panel is open at a time, and a second tap closes it', async () => {
  const { person } = openUserPage()
  await person.click(getButton('Create New User'))
  await person.click(getButton('Change HMC'))
  expect(screen.getAllByRole('form').map((shown) => shown.getAttribute('aria-label'))).toEqual(['Change HMC'])
  await person.click(expectPresent(within(screen.getByRole('group', { name: 'User actions' })).getAllByRole('button', { name: 'Change HMC', expanded: true })[0]))
  expect(screen.queryByRole('form')).toBeNull()
  expect(await screen.findByRole('table', { name: 'Active Users' })).toBeTruthy()
})

test('the list is open from the start, and a tap closes it', async () => {
  const { person } = openUserPage()
  expect(await screen.findByText('1003')).toBeTruthy()
  await person.click(getButton('Active Users'))
  expect(screen.queryByText('1003')).toBeNull()
  expect(screen.getByText('Escolha uma ação.')).toBeTruthy()
})

test('a new user needs every field and the same password twice', () => {
  const entry = { hmc: '9', password: 'p', confirmation: 'p', user_type: 'op', must_change_password: true }
  expect(findNewUserFormError(entry)).toBeNull()
  expect(findNewUserFormError({ ...entry, hmc: ' ' })).toBe('users.missing')
  expect(findNewUserFormError({ ...entry, user_type: '' })).toBe('users.missing')
  expect(findNewUserFormError({ ...entry, confirmation: 'q' })).toBe('users.mismatch')
})

/** Selects the button that submits a panel, not those that show a password. */
const SUBMIT = { name: /^(Create|Change) / }

test('a new password needs a user and the same text twice', () => {
  expect([findPasswordFormError('', 'p', 'p'), findPasswordFormError('3', '', ''), findPasswordFormError('3', 'p', 'q'), findPasswordFormError('3', 'p', 'p')])
    .toEqual(['users.passwordMissing', 'users.passwordMissing', 'users.passwordMismatch', null])
})

test('a form that is not complete marks the fields to fill in and focuses the first', async () => {
  const { person } = openUserPage({}, 'create')
  const fields = getForm('Create New User')
  const named = ['HMC (Register Number)', 'Password', 'Confirm password', 'Access level'] as const
  const marked = () => named.filter((name) => fields.getByLabelText(name).getAttribute('aria-invalid') === 'true')
  const send = () => person.click(fields.getByRole('button', SUBMIT))
  expect(marked()).toEqual([])
  await send()
  expect([marked(), document.activeElement]).toEqual([named, fields.getByLabelText(named[0])])
  await person.type(fields.getByLabelText(named[0]), '1009')
  expect(marked()).toEqual(named.slice(1))
  await send()
  expect(document.activeElement).toBe(fields.getByLabelText(named[1]))
  await person.type(fields.getByLabelText(named[1]), 'long-enough')
  await person.type(fields.getByLabelText(named[2]), 'other')
  await person.selectOptions(fields.getByLabelText(named[3]), 'Operator')
  await send()
  expect([marked(), document.activeElement]).toEqual([[named[2]], fields.getByLabelText(named[2])])
})

test.each([['password', 'Change Password', ['User', 'Password', 'Confirm password']], ['permission', 'Change Permission', ['User', 'New permission']], ['hmc', 'Change HMC', ['User', 'New HMC']]])('the panel %s marks its empty fields', async (panel, label, names) => {
  const { person } = openUserPage({}, panel)
  const fields = getForm(label)
  await person.click(fields.getByRole('button', SUBMIT))
  expect(names.filter((name) => fields.getByLabelText(name).getAttribute('aria-invalid') !== 'true')).toEqual([])
  expect(document.activeElement).toBe(fields.getByLabelText('User'))
})

test('a user is created and the form is empty again', async () => {
  const { person, sent } = openUserPage({ 'POST /sign-up': createReply(201, createUser(9, '1009')) }, 'create')
  const fields = getForm('Create New User')
  await person.type(fields.getByLabelText('HMC (Register Number)'), ' 1009 ')
  await person.type(fields.getByLabelText('Password'), 'long-enough')
  await person.type(fields.getByLabelText('Confirm password'), 'long-enough')
  await person.selectOptions(fields.getByLabelText('Access level'), 'Team Leader')
  await person.click(fields.getByRole('button', SUBMIT))
  expect(await screen.findByText('Usuário criado com sucesso!')).toBeTruthy()
  expect(sent('POST /sign-up')).toEqual([{ hmc: '1009', password: 'long-enough', user_type: 'tm', must_change_password: true }])
  expect(fields.getByLabelText('HMC (Register Number)')).toHaveProperty('value', '')
})

test('what the server refuses stands beside the form, also as plain text', async () => {
  const { person } = openUserPage({ 'PUT /users/3': () => new Response('This login name is already in use. Choose another.', { status: 409 }) }, 'hmc')
  await screen.findByRole('option', { name: '1003 · Operator' })
  await person.selectOptions(screen.getByLabelText('User'), '1003 · Operator')
  await person.type(screen.getByLabelText('New HMC'), '1002')
  await person.click(getForm('Change HMC').getByRole('button'))
  expect(await screen.findByText('Erro: This login name is already in use. Choose another.')).toBeTruthy()
})

test('a changed permission is sent with what stays', async () => {
  const { person, sent } = openUserPage({ 'PUT /users/3': createUser(3, '1003', 'tm') }, 'permission')
  await screen.findByRole('option', { name: '1003 · Operator' })
  await person.click(getForm('Change Permission').getByRole('button'))
  expect(screen.getByText('Selecione o usuário e a nova permissão.')).toBeTruthy()
  await person.selectOptions(screen.getByLabelText('User'), '1003 · Operator')
  await person.selectOptions(screen.getByLabelText('New permission'), 'Team Leader')
  await person.click(getForm('Change Permission').getByRole('button'))
  expect(await screen.findByText('Permissão alterada com sucesso!')).toBeTruthy()
  expect(sent('PUT /users/3')).toEqual([{ hmc: '1003', user_type: 'tm' }])
})

test('the reserved user is in no list, and nobody deletes oneself', async () => {
  const { person } = openUserPage({}, 'active')
  expect(await screen.findByText('1003')).toBeTruthy()
  expect(screen.queryByText('reserved')).toBeNull()
  await person.click(getButton('Actions for 1002'))
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual(['Change Password', 'Change Permission', 'Change HMC', 'History', 'Download personal data'])
})

test('a user is deleted only after YES', async () => {
  const { person, sent } = openUserPage({ 'DELETE /users/3': { success: true } }, 'active')
  await chooseUserAction(person, '1003', 'Delete user 1003')
  await person.click(getButton('NO'))
  expect(sent('DELETE /users/3')).toHaveLength(0)
  await chooseUserAction(person, '1003', 'Delete user 1003')
  await person.click(getButton('YES'))
  expect(await screen.findByText('Usuário deletado com sucesso!')).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a lockout is lifted with a tap, and a refusal is shown', async () => {
  const { person, sent } = openUserPage({ 'DELETE /users/3/lockout': { success: true } }, 'active')
  await chooseUserAction(person, '1003', 'Unlock 1003')
  expect(await screen.findByText(/^1003 desbloqueado\./)).toBeTruthy()
  expect(sent('DELETE /users/3/lockout')).toHaveLength(1)
  stubServer({ 'DELETE /users/3/lockout': createReply(404, { code: 'NO_USER', message: '' }) })
  await chooseUserAction(person, '1003', 'Unlock 1003')
  expect(await screen.findByText('Não foi possível desbloquear 1003. Usuário não encontrado.')).toBeTruthy()
})

test('a new supervisor is made once the own password was entered again', async () => {
  let refused = 0
  const { person, sent } = openUserPage({ 'POST /sign-up': () => (refused++ === 0 ? createReply(403, { code: 'CONFIRM_PASSWORD', message: '' }) : createReply(201, createUser(9, '1009', 'admin'))) }, 'create')
  const fields = getForm('Create New User')
  await person.type(fields.getByLabelText('HMC (Register Number)'), '1009')
  await person.type(fields.getByLabelText('Password'), 'long-enough')
  await person.type(fields.getByLabelText('Confirm password'), 'long-enough')
  await person.selectOptions(fields.getByLabelText('Access level'), 'Supervisor')
  await person.click(fields.getByRole('button', SUBMIT))
  await waitFor(() => expect(passwordPrompt.get()).not.toBeNull())
  expect([fields.getByRole('button', SUBMIT).getAttribute('aria-busy'), screen.queryByRole('alert')]).toEqual(['true', null])
  passwordPrompt.get()?.confirmed()
  expect(await screen.findByText('Usuário criado com sucesso!')).toBeTruthy()
  expect(sent('POST /sign-up')).toHaveLength(2)
})

test('a user whose password need not be changed is created so', async () => {
  const { person, sent } = openUserPage({ 'POST /sign-up': createReply(201, createUser(9, '1009')) }, 'create')
  const fields = getForm('Create New User')
  const ask = fields.getByLabelText('Ask for a new password at the first sign-in')
  expect(ask).toHaveProperty('checked', true)
  await person.click(ask)
  await person.type(fields.getByLabelText('HMC (Register Number)'), '1009')
  await person.type(fields.getByLabelText('Password'), 'long-enough')
  await person.type(fields.getByLabelText('Confirm password'), 'long-enough')
  await person.selectOptions(fields.getByLabelText('Access level'), 'Operator')
  await person.click(fields.getByRole('button', SUBMIT))
  expect(await screen.findByText('Usuário criado com sucesso!')).toBeTruthy()
  expect(sent('POST /sign-up')).toMatchObject([{ must_change_password: false }])
  expect(ask).toHaveProperty('checked', true)
})

test("a supervisor sees a user's sessions and ends one or all, but not the own ones there", async () => {
  const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const session = (id: string, address: string) => ({ id, current: false, device: 'Firefox on Windows', address, created_at: hoursFromNow(-3), last_used_at: hoursFromNow(-2), expires_at: hoursFromNow(9) })
  let sessions = [session('a', '10.0.0.7'), session('b', '10.0.0.8')]
  const { person, sent } = openUserPage({
    'GET /users/3/sessions': () => ({ sessions }),
    'DELETE /users/3/sessions/b': () => {
      sessions = sessions.slice(0, 1)
      return { success: true }
    },
    'DELETE /users/3/sessions': () => {
      sessions = []
      return { ended: 1 }
    },
  }, 'active')
  const row = expectPresent((await screen.findByRole('button', { name: '1003' })).closest('tr'))
  await waitFor(() => expect([...row.cells].slice(4, 6).map(({ textContent }) => textContent)).toEqual(['há 2 horas', '2']))
  await chooseUserAction(person, '1003', 'Sessions of 1003')
  const dialog = within(screen.getByRole('dialog', { name: 'Sessions of 1003' }))
  await person.click(await dialog.findByRole('button', { name: 'End the session on Firefox on Windows, 10.0.0.8' }))
  await waitFor(() => expect(dialog.getAllByRole('listitem')).toHaveLength(1))
  await person.click(dialog.getByRole('button', { name: 'End all' }))
  expect(await dialog.findByText('Nenhuma sessão aberta.')).toBeTruthy()
  expect([sent('DELETE /users/3/sessions/b'), sent('DELETE /users/3/sessions')]).toEqual([[''], ['']])
  await person.click(dialog.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a list that cannot be loaded says so and offers another try', async () => {
  openUserPage({ 'GET /users': createReply(503, { code: 'UNAVAILABLE', message: '' }) }, 'active')
  expect(await screen.findByText('Erro ao carregar usuários.')).toBeTruthy()
  expect(getButton('Try again')).toBeTruthy()
})

test('each refusal has its words', () => {
  expect(describeUserChangeError(new ApiProblem(0, 'OFFLINE', '')).key).toBe('users.unreachable')
  expect(describeUserChangeError(new ApiProblem(404, 'NO_USER', 'x')).key).toBe('users.unknown')
  expect(describeUserChangeError(new ApiProblem(409, 'HMC_TAKEN', 'taken'))).toEqual({ key: 'users.refused', message: 'taken' })
  expect(describeUserChangeError(new Error('?')).key).toBe('users.failed')
})
