import type { UsersTextKey } from './text'

export interface NewUserForm {
  hmc: string
  password: string
  confirmation: string
  user_type: string
  /** Whether the user has to choose a new password at the first sign-in. */
  must_change_password: boolean
}

/** Returns whether the repeated password is empty or differs from the password. */
export const isPasswordConfirmationWrong = ({ password, confirmation }: { password: string; confirmation: string }): boolean => confirmation === '' || confirmation !== password

/** Returns the text key of the first error in the form of a new user, or `null` when the form is valid. */
export function findNewUserFormError({ hmc, password, confirmation, user_type }: NewUserForm): UsersTextKey | null {
  if (hmc.trim() === '' || password === '' || user_type === '') return 'users.missing'
  return password === confirmation ? null : 'users.mismatch'
}

/** Returns the text key of the first error in the form of a user's new password, or `null` when the form is valid. */
export function findPasswordFormError(user: string, password: string, confirmation: string): UsersTextKey | null {
  if (user === '' || password === '') return 'users.passwordMissing'
  return password === confirmation ? null : 'users.passwordMismatch'
}
