import { queryOptions } from '@tanstack/react-query'
import { asked, type Conflict } from './contract'

const MANY = 50

interface ConflictPage {
  conflicts: Conflict[]
  meta: { total_count: number }
}

export interface ConflictSearch {
  state?: 'open' | 'settled'
  mine?: boolean
  campaign?: number
}

/** Conflicts, newest first; operators get only those that they are part of. */
export const conflictsQuery = ({ state, mine, campaign }: ConflictSearch) =>
  queryOptions({
    queryKey: ['conflicts', state, mine, campaign],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ per_page: String(MANY) })
      if (state !== undefined) query.set('state', state)
      if (mine !== undefined) query.set('mine', String(mine))
      if (campaign !== undefined) query.set('campaign_id', String(campaign))
      return asked<ConflictPage>(`/conflicts?${query.toString()}`, { signal })
    },
  })
