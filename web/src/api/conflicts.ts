import { queryOptions } from '@tanstack/react-query'
import { answer, http } from './client'

const MANY = 50

export interface ConflictSearch {
  state?: 'open' | 'settled'
  mine?: boolean
  campaign?: number
}

/** Conflicts, newest first; operators get only those that they are part of. */
export const conflictsQuery = ({ state, mine, campaign }: ConflictSearch) =>
  queryOptions({
    queryKey: ['conflicts', state, mine, campaign],
    queryFn: ({ signal }) =>
      answer(http.GET('/conflicts', { params: { query: { per_page: MANY, ...(state && { state }), ...(mine !== undefined && { mine }), ...(campaign !== undefined && { campaign_id: campaign }) } }, signal }), 'conflicts*'),
  })
