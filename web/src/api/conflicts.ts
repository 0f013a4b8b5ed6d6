import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { OPERATOR_FIELDS } from '@/lib/vehicleFields'
import { isSupervisor, mayManageCampaigns } from '@/lib/roles'
import { refreshVehicleCountsThrottled, updateVehicleCache } from './vehicleCache'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './queryKeys'
import { VEHICLE_REQUIRED_FIELDS } from './requiredFields'
import type { FieldConflict } from './types'

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
 * Returns the newest open conflicts of a campaign, or of all campaigns, and the number of all open conflicts. Returns `undefined` while
 * they are loading, or when `enabled` is false.
 */
export const useOpenConflicts = (campaign?: number, enabled = true) => useQuery({ ...conflictsQuery({ state: 'open', campaign }), enabled, retry: false }).data

/** Side of a conflict: `theirs` is the value that another save stored earlier, `mine` is the value that arrived later. */
export type ConflictSideName = 'theirs' | 'mine'
/** The two sides of a conflict in the order of their saves: first the value stored earlier, then the value that arrived later. */
export const CONFLICT_SIDES: readonly ConflictSideName[] = ['theirs', 'mine']

/** Returns the value of one side of a conflict, and the HMC (login name) of the person who saved the value. */
export const getConflictSide = (conflict: FieldConflict, side: ConflictSideName) => ({
  value: conflict[side],
  hmc: (side === 'mine' ? conflict.mine_by_hmc : conflict.theirs_by_hmc) ?? '?',
})

/** Returns whether a person may choose the value of a conflict. Team leaders may choose only the values that operators may save. */
export const mayResolveConflict = (userType: string, field: FieldConflict['field']): boolean =>
  isSupervisor(userType) || (mayManageCampaigns(userType) && OPERATOR_FIELDS.includes(field))

/** Resolves a conflict with one of the two values. */
export function useResolveConflict() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ conflict, choice }: { conflict: FieldConflict; choice: ConflictSideName }) =>
      unwrapResponse(apiClient.POST('/conflicts/{id}/settle', { params: { path: { id: conflict.id } }, body: { choice } }), VEHICLE_REQUIRED_FIELDS),
    onSuccess: (vehicle) => updateVehicleCache(queries, vehicle, null),
    onSettled: () => {
      refreshVehicleCountsThrottled(queries)
      return queries.invalidateQueries({ queryKey: queryKeys.anyConflicts })
    },
  })
}
