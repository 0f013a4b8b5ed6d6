import { queryOptions } from '@tanstack/react-query'
import type { TextKey } from '@/lib/text'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './queryKeys'

declare module '@tanstack/react-query' {
  interface Register {
    /** Metadata of a query. `failed` is the text key of the toast that is shown when the query fails. */
    queryMeta: { failed?: TextKey }
  }
}

/** Query of the signed-in user's account data and of the product's settings. */
export const currentUserQuery = queryOptions({
  queryKey: queryKeys.me,
  queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/me', { signal }), 'id#'),
  staleTime: Infinity,
})
