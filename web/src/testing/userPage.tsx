import { screen, within } from '@testing-library/react'
import type { User } from '@/api/types'
import { stubServer } from './server'
import { signInAs, renderPage, SUPERVISOR } from './renderPage'
import UserManagementPage from '@/features/users/UserManagementPage'

export const createUser = (id: number, hmc: string, user_type: User['user_type'] = 'op'): User => ({ id, hmc, user_type, created_at: '2026-11-01T12:00:00Z', last_login_at: null })
/** Users that the server lists: the reserved account, a supervisor and an operator. */
const people = [createUser(1, 'reserved'), createUser(2, '1002', 'admin'), createUser(3, '1003')]

/** Opens the page of user management as a supervisor, with a server that gives these responses. */
export function openUserPage(answers: Parameters<typeof stubServer>[0] = {}, panel = '') {
  signInAs(SUPERVISOR)
  const calls = stubServer({ 'GET /users': people, ...answers })
  const person = renderPage(UserManagementPage, '/user-management', `/user-management${panel && `?panel=${panel}`}`)
  return { person, sent: (name: string) => calls.filter((call) => call.name === name).map(({ body }) => body) }
}
/** Chooses an action in the menu of a user's row. */
export async function chooseUserAction(person: ReturnType<typeof renderPage>, hmc: string, action: string) {
  await person.click(await screen.findByRole('button', { name: `Actions for ${hmc}` }))
  await person.click(screen.getByRole('menuitem', { name: action }))
}
export const getButton = (name: string) => screen.getByRole('button', { name })
export const getForm = (name: string) => within(screen.getByRole('form', { name }))
