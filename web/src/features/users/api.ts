import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, http } from '@/api/client'
import { download } from '@/api/files'
import { Problem } from '@/api/problem'
import { inWords } from '@/lib/inWords'
import type { NewUser, User, UserEdit } from '@/api/types'
import type { UsersKey } from './text'

const RESERVED = 1

const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => answer(http.GET('/users', { signal }), '*id# hmc$'),
})

/** Every user that may be seen; the reserved one never is. */
export const useUsers = () => useQuery({ ...usersQuery, select: visible })
const visible = (users: User[]) => users.filter(({ id }) => id !== RESERVED)

function useRefresh() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries(usersQuery)
}

export const useCreateUser = () =>
  useMutation({
    mutationFn: (body: NewUser) => answer(http.POST('/sign-up', { body }), 'id#'),
    onSettled: useRefresh(),
  })

/** Changes a user; what is not named stays as the list has it. */
export const useEditUser = () =>
  useMutation({
    mutationFn: ({ user: { id, hmc, user_type }, change }: { user: User; change: UserEdit }) =>
      answer(http.PUT('/users/{id}', { params: { path: { id } }, body: { hmc, user_type, ...change } }), 'id#'),
    onSettled: useRefresh(),
  })

export const useDeleteUser = () =>
  useMutation({
    mutationFn: ({ id }: User) => answer(http.DELETE('/users/{id}', { params: { path: { id } } })),
    onSettled: useRefresh(),
  })

/** Lifts whatever failed sign-ins have put on a user. */
export const useLiftLockout = () =>
  useMutation({ mutationFn: ({ id }: User) => answer(http.DELETE('/users/{id}/lockout', { params: { path: { id } } })) })

/** Fetches all that is held about a person who asks for it. */
export const useUserData = () =>
  useMutation({ mutationFn: ({ id, hmc }: User) => download(`/users/${id}/data`, `data-${hmc}.json`) })

/** What to tell of a refused change, in the words of this screen. */
export function refusalOf(error: Error): { key: UsersKey; message: string } {
  if (!(error instanceof Problem)) return { key: 'users.failed', message: '' }
  if (error.status === 0 || error.status >= 500) return { key: 'users.unreachable', message: '' }
  if (error.status === 404) return { key: 'users.unknown', message: '' }
  return error.message === '' ? { key: 'users.failed', message: '' } : { key: 'users.refused', message: inWords(error.message) }
}
