import { queryOptions } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './keys'

const MAX_LISTED = 50

export interface ConflictSearch {
  state?: 'open' | 'settled'
  /** Whether to list only conflicts that the signed-in person is part of. */
  mine?: boolean
  campaign?: number
}

/** Query of conflicting values of vehicle fields, newest first. Operators get only the conflicts that they are part of. */
export const conflictsQuery = ({ state, mine, campaign }: ConflictSearch) =>
  queryOptions({
    queryKey: queryKeys.conflicts(state, mine, campaign),
    queryFn: ({ signal }) =>
      unwrapResponse(apiClient.GET('/conflicts', { params: { query: { per_page: MAX_LISTED, ...(state && { state }), ...(mine !== undefined && { mine }), ...(campaign !== undefined && { campaign_id: campaign }) } }, signal }), 'conflicts*'),
  })
