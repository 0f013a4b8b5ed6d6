import { queryOptions } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './queryKeys'

/** Query of all users, including the reserved developer account if the server lists it. */
export const usersQuery = queryOptions({
  queryKey: queryKeys.users,
  queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/users', { signal }), '*id# hmc$'),
})
