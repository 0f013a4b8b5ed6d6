import { queryOptions, useQuery } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './keys'

const MAX_LISTED = 50

export interface ConflictSearch {
  state?: 'open' | 'settled'
  /** Whether to list only conflicts in which the signed-in person saved one of the two values. */
  mine?: boolean
  campaign?: number
}

/** Query of conflicting values of vehicle fields, newest first. Operators get only the conflicts in which they saved one of the two values. */
export const conflictsQuery = ({ state, mine, campaign }: ConflictSearch) =>
  queryOptions({
    queryKey: queryKeys.conflicts(state, mine, campaign),
    queryFn: ({ signal }) =>
      unwrapResponse(apiClient.GET('/conflicts', { params: { query: { per_page: MAX_LISTED, ...(state && { state }), ...(mine !== undefined && { mine }), ...(campaign !== undefined && { campaign_id: campaign }) } }, signal }), 'conflicts*'),
  })

/**
 * Returns the number of open conflicts of a campaign, or of all campaigns. Returns `undefined` while the number is loading, or when
 * `enabled` is false.
 */
export const useOpenConflictCount = (campaign?: number, enabled = true): number | undefined =>
  useQuery({ ...conflictsQuery({ state: 'open', campaign }), enabled, retry: false }).data?.meta.total_count
