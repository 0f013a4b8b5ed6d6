import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from '@/api/client'
import { callWithPasswordPrompt } from '@/api/passwordPrompt'
import { downloadFile } from '@/api/files'
import { usersQuery } from '@/api/usersQuery'
import { ApiProblem } from '@/api/apiProblem'
import { translateServerMessage } from '@/lib/translateServerMessage'
import type { NewUser, User, UserUpdate } from '@/api/types'
import type { UsersTextKey } from './text'

const RESERVED = 1

/** Fetches all users except the reserved developer account, which is never shown. */
export const useUsers = () => useQuery({ ...usersQuery, select: visible })
const visible = (users: User[]) => users.filter(({ id }) => id !== RESERVED)

function useRefresh() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries(usersQuery)
}

export const useCreateUser = () =>
  useMutation({
    mutationFn: (body: NewUser) => callWithPasswordPrompt(() => unwrapResponse(apiClient.POST('/sign-up', { body }), 'id#')),
    onSettled: useRefresh(),
  })

/** Changes a user. If `change` omits the login name (HMC) or the access level, the value from `user` is sent. */
export const useEditUser = () =>
  useMutation({
    mutationFn: ({ user: { id, hmc, user_type }, change }: { user: User; change: UserUpdate }) =>
      callWithPasswordPrompt(() => unwrapResponse(apiClient.PUT('/users/{id}', { params: { path: { id } }, body: { hmc, user_type, ...change } }), 'id#')),
    onSettled: useRefresh(),
  })

export const useDeleteUser = () =>
  useMutation({
    mutationFn: ({ id }: User) => unwrapResponse(apiClient.DELETE('/users/{id}', { params: { path: { id } } })),
    onSettled: useRefresh(),
  })

/** Unlocks a user who is locked out after failed sign-ins. */
export const useUnlockUser = () =>
  useMutation({ mutationFn: ({ id }: User) => unwrapResponse(apiClient.DELETE('/users/{id}/lockout', { params: { path: { id } } })) })

/** Downloads all personal data of a user as a JSON file. */
export const useDownloadUserData = () =>
  useMutation({ mutationFn: ({ id, hmc }: User) => downloadFile(`/users/${id}/data`, `data-${hmc}.json`) })

/** Returns the text key of the message for a failed change of a user, and the server's sentence that is inserted into the text. */
export function describeUserChangeError(error: Error): { key: UsersTextKey; message: string } {
  if (!(error instanceof ApiProblem)) return { key: 'users.failed', message: '' }
  if (error.status === 0 || error.status >= 500) return { key: 'users.unreachable', message: '' }
  if (error.status === 404) return { key: 'users.unknown', message: '' }
  return error.message === '' ? { key: 'users.failed', message: '' } : { key: 'users.refused', message: translateServerMessage(error.message) }
}
