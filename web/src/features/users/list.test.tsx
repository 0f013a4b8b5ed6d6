import { act, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { User } from '@/api/types'
import { chooseUserAction, getButton, getForm, openUserPage, createUser } from '@/testing/userPage'

afterEach(endSessionAndKeepData)

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const named = (hmc: string, user_type: User['user_type'], last_login_at: string | null): User => ({ ...createUser(Number(hmc), hmc, user_type), last_login_at })
const many = [named('30', 'op', ago(40)), named('4', 'tm', null), named('200', 'op', ago(1))]

test('users are filtered by level and sign-in, sorted by each column, and the address says so', async () => {
  const { person } = openUserPage({ 'GET /users': many }, 'active')
  const shown = () => screen.getAllByRole('row').slice(1).map((row) => within(row).getAllByRole('button')[0]?.textContent?.trim())
  const head = (name: RegExp) => screen.getByRole('columnheader', { name })
  const sort = (name: RegExp) => person.click(within(head(name)).getByRole('button'))
  await screen.findByText('30')
  expect(within(screen.getByRole('group', { name: 'Filters' })).getAllByRole('button').map(({ textContent }) => textContent))
    .toEqual(['All 3', 'Supervisor 0', 'Team Leader 1', 'Operator 2', 'Never signed in 1', 'No sign-in for 30 days 1'])
  expect([shown(), head(/^HMC/).getAttribute('aria-sort')]).toEqual([['30', '4', '200'], 'none'])
  await sort(/^HMC/)
  expect([shown(), head(/^HMC/).getAttribute('aria-sort')]).toEqual([['4', '30', '200'], 'ascending'])
  await sort(/^HMC/)
  expect([shown(), head(/^HMC/).getAttribute('aria-sort')]).toEqual([['200', '30', '4'], 'descending'])
  await sort(/^HMC/)
  expect(shown()).toEqual(['30', '4', '200'])
  await sort(/^Last sign-in/)
  expect(shown()).toEqual(['4', '30', '200'])
  await person.click(getButton('Operator 2'))
  expect([shown(), window.location.search]).toEqual([['30', '200'], '?panel=active&sort=login&level=op'])
  await person.click(getButton('No sign-in for 30 days 1'))
  expect(screen.getByText(/^1 to 1 of 1/)).toBeTruthy()
  expect(shown()).toEqual(['30'])
  await person.click(getButton('Team Leader 1'))
  expect(screen.getByText('Nenhum usuário com estes filtros.')).toBeTruthy()
  await person.click(getButton('Show all'))
  expect(shown()).toEqual(['4', '30', '200'])
})

test('a row opens the drawer, where the change is for that user alone', async () => {
  const { person, sent } = openUserPage({ 'PUT /users/3': createUser(3, '1003', 'tm') }, 'active')
  await person.click(await screen.findByRole('button', { name: '1003' }))
  const drawer = within(screen.getByRole('dialog', { name: 'User 1003' }))
  await person.click(drawer.getByText('Change Permission'))
  expect(drawer.queryByLabelText('User')).toBeNull()
  await person.selectOptions(drawer.getByLabelText('New permission'), 'Team Leader')
  await person.click(getForm('Change Permission').getByRole('button'))
  expect(await screen.findByText('Permissão alterada com sucesso!')).toBeTruthy()
  expect(sent('PUT /users/3')).toEqual([{ hmc: '1003', user_type: 'tm' }])
  await person.click(drawer.getByRole('button', { name: 'Close' }))
  expect([screen.queryByRole('dialog'), window.location.search]).toEqual([null, '?panel=active'])
})

test('a password typed for one user is not in the form of the next one', async () => {
  const { person } = openUserPage({}, 'active')
  await chooseUserAction(person, '1003', 'Change Password of 1003')
  await person.type(getForm('Change Password').getByLabelText('Password'), 'secret-of-1003')
  await chooseUserAction(person, '1002', 'Change Password of 1002')
  expect(getForm('Change Password').getByLabelText('Password')).toHaveProperty('value', '')
})

test('all users that match are printed, not only those of the page, and the paper says how many', async () => {
  openUserPage({ 'GET /users': Array.from({ length: 31 }, (_, n) => createUser(n + 2, `${1000 + n}`)) }, 'active')
  const rows = async () => within(await screen.findByRole('table', { name: 'Active Users' })).getAllByRole('row').length - 1
  expect(await rows()).toBe(10)
  act(() => void window.dispatchEvent(new Event('beforeprint')))
  expect(await rows()).toBe(31)
  expect(screen.getAllByText('1 to 31 of 31').length).toBe(2)
  expect(screen.queryByRole('columnheader', { name: 'Sessions' })).toBeNull()
  act(() => void window.dispatchEvent(new Event('afterprint')))
  expect(await rows()).toBe(10)
})

test('a search that finds nobody offers to show all users, inside the notice', async () => {
  const { person } = openUserPage({}, 'active')
  await person.type(await screen.findByRole('searchbox'), 'zzz')
  const notice = screen.getByText('Nenhum usuário corresponde a "zzz".').parentElement
  await person.click(within(notice ?? document.body).getByRole('button', { name: 'Show all' }))
  expect(await screen.findByText('1003')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Show all' })).toBeNull()
})
