import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Problem } from '@/api/problem'
import { endSession } from '@/api/session'
import type { User } from '@/api/types'
import { reply, serve } from '@/testing/server'
import { asUser, show, SUPERVISOR } from '@/testing/show'
import { refusalOf } from './api'
import { complaintAboutNew, complaintAboutPassword } from './rules'
import UserManagementPage from './UserManagementPage'

const user = (id: number, hmc: string, user_type: User['user_type'] = 'op'): User => ({ id, hmc, user_type, created_at: '2026-11-01T12:00:00Z', last_login_at: null })
const people = [user(1, 'reserved'), user(2, '1002', 'admin'), user(3, '1003')]

afterEach(endSession)

function open(answers: Parameters<typeof serve>[0] = {}, panel = '') {
  asUser(SUPERVISOR)
  const calls = serve({ 'GET /users': people, ...answers })
  const person = show(UserManagementPage, '/user-management', `/user-management${panel && `?panel=${panel}`}`)
  return { person, sent: (name: string) => calls.filter((call) => call.name === name).map(({ body }) => body) }
}
const button = (name: string) => screen.getByRole('button', { name })
const form = (name: string) => within(screen.getByRole('form', { name }))

test('only one panel is open at a time, and a second tap closes it', async () => {
  const { person } = open()
  await person.click(button('Create New User'))
  await person.click(button('Change HMC'))
  expect(screen.getAllByRole('form').map((shown) => shown.getAttribute('aria-label'))).toEqual(['Change HMC'])
  await person.click(within(screen.getByRole('group', { name: 'What to do' })).getAllByRole('button', { name: 'Change HMC', expanded: true })[0] as HTMLElement)
  expect(screen.queryByRole('form')).toBeNull()
})

test('a new user needs every field and the same password twice', () => {
  const entry = { hmc: '9', password: 'p', confirmation: 'p', user_type: 'op' }
  expect(complaintAboutNew(entry)).toBeNull()
  expect(complaintAboutNew({ ...entry, hmc: ' ' })).toBe('users.missing')
  expect(complaintAboutNew({ ...entry, user_type: '' })).toBe('users.missing')
  expect(complaintAboutNew({ ...entry, confirmation: 'q' })).toBe('users.mismatch')
})

test('a new password needs a user and the same text twice', () => {
  expect([complaintAboutPassword('', 'p', 'p'), complaintAboutPassword('3', '', ''), complaintAboutPassword('3', 'p', 'q'), complaintAboutPassword('3', 'p', 'p')])
    .toEqual(['users.passwordMissing', 'users.passwordMissing', 'users.passwordMismatch', null])
})

test('a user is created and the form is empty again', async () => {
  const { person, sent } = open({ 'POST /sign-up': reply(201, user(9, '1009')) }, 'create')
  const fields = form('Create New User')
  await person.type(fields.getByLabelText('HMC (Register Number)'), ' 1009 ')
  await person.type(fields.getByLabelText('Password'), 'long-enough')
  await person.type(fields.getByLabelText('Confirm password'), 'long-enough')
  await person.selectOptions(fields.getByLabelText('Access level'), 'Team Leader')
  await person.click(fields.getByRole('button'))
  expect(await screen.findByText('Usuário criado com sucesso!')).toBeTruthy()
  expect(sent('POST /sign-up')).toEqual([{ hmc: '1009', password: 'long-enough', user_type: 'tm' }])
  expect(fields.getByLabelText('HMC (Register Number)')).toHaveProperty('value', '')
})

test('what the server refuses stands beside the form, also as plain text', async () => {
  const { person } = open({ 'PUT /users/3': () => new Response('another user has this hmc already', { status: 409 }) }, 'hmc')
  await screen.findByRole('option', { name: '1003 · Operator' })
  await person.selectOptions(screen.getByLabelText('User'), '1003 · Operator')
  await person.type(screen.getByLabelText('New HMC'), '1002')
  await person.click(form('Change HMC').getByRole('button'))
  expect(await screen.findByText('Erro: another user has this hmc already')).toBeTruthy()
})

test('a changed permission is sent with what stays', async () => {
  const { person, sent } = open({ 'PUT /users/3': user(3, '1003', 'tm') }, 'permission')
  await screen.findByRole('option', { name: '1003 · Operator' })
  await person.click(form('Change Permission').getByRole('button'))
  expect(screen.getByText('Selecione o usuário e a nova permissão.')).toBeTruthy()
  await person.selectOptions(screen.getByLabelText('User'), '1003 · Operator')
  await person.selectOptions(screen.getByLabelText('New access level'), 'Team Leader')
  await person.click(form('Change Permission').getByRole('button'))
  expect(await screen.findByText('Permissão alterada com sucesso!')).toBeTruthy()
  expect(sent('PUT /users/3')).toEqual([{ hmc: '1003', user_type: 'tm' }])
})

test('the reserved user is in no list, and nobody deletes oneself', async () => {
  open({}, 'active')
  expect(await screen.findByText('1003')).toBeTruthy()
  expect(screen.queryByText('reserved')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Delete user 1002' })).toBeNull()
})

test('a user is deleted only after YES', async () => {
  const { person, sent } = open({ 'DELETE /users/3': { success: true } }, 'active')
  await person.click(await screen.findByRole('button', { name: 'Delete user 1003' }))
  await person.click(button('NO'))
  expect(sent('DELETE /users/3')).toHaveLength(0)
  await person.click(button('Delete user 1003'))
  await person.click(button('YES'))
  expect(await screen.findByText('Usuário deletado com sucesso!')).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a lockout is lifted with a tap, and a refusal is told', async () => {
  const { person, sent } = open({ 'DELETE /users/3/lockout': { success: true } }, 'active')
  await person.click(await screen.findByRole('button', { name: 'Lift the lockout of 1003' }))
  expect(await screen.findByText(/^Bloqueio de 1003 removido\./)).toBeTruthy()
  expect(sent('DELETE /users/3/lockout')).toHaveLength(1)
  expect(screen.queryByRole('button', { name: 'Lift the lockout of 1002' })).toBeNull()
  serve({ 'DELETE /users/3/lockout': reply(404, { code: 'NO_USER', message: '' }) })
  await person.click(button('Lift the lockout of 1003'))
  expect(await screen.findByText('O bloqueio de 1003 não foi removido. Usuário não encontrado.')).toBeTruthy()
})

test('a list that cannot be loaded says so and offers another try', async () => {
  open({ 'GET /users': reply(503, { code: 'UNAVAILABLE', message: '' }) }, 'active')
  expect(await screen.findByText('Erro ao carregar usuários.')).toBeTruthy()
  expect(button('Try again')).toBeTruthy()
})

test('each refusal has its words', () => {
  expect(refusalOf(new Problem(0, 'OFFLINE', '')).key).toBe('users.unreachable')
  expect(refusalOf(new Problem(404, 'NO_USER', 'x')).key).toBe('users.unknown')
  expect(refusalOf(new Problem(409, 'HMC_TAKEN', 'taken'))).toEqual({ key: 'users.refused', message: 'taken' })
  expect(refusalOf(new Error('?')).key).toBe('users.failed')
})
