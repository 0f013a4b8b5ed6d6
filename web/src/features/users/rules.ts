import type { UsersKey } from './text'

export interface NewEntry {
  hmc: string
  password: string
  confirmation: string
  user_type: string
}

/** What is wrong with a user to be created, or null. */
export function complaintAboutNew({ hmc, password, confirmation, user_type }: NewEntry): UsersKey | null {
  if (hmc.trim() === '' || password === '' || user_type === '') return 'users.missing'
  return password === confirmation ? null : 'users.mismatch'
}

/** What is wrong with a new password for somebody, or null. */
export function complaintAboutPassword(user: string, password: string, confirmation: string): UsersKey | null {
  if (user === '' || password === '') return 'users.passwordMissing'
  return password === confirmation ? null : 'users.passwordMismatch'
}
