import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { OPERATOR_EDITABLE_FIELDS } from '@/lib/vehicleFields'
import { isSupervisor, mayManageCampaigns } from '@/lib/roles'
import { refreshVehicleCountsThrottled, updateVehicleCache } from './vehicleCache'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './queryKeys'
import { VEHICLE_REQUIRED_FIELDS } from './requiredFields'
import type { FieldConflict } from './types'

const MAX_LISTED = 50

export interface ConflictFilter {
  state?: 'open' | 'settled'
  /** Whether to list only conflicts in which the signed-in person saved one of the two values. */
  mine?: boolean
  campaign?: number
}

/** Query of conflicts between saves of the same vehicle field, newest first. Operators get only conflicts with one of their own saves. */
export const conflictsQuery = ({ state, mine, campaign }: ConflictFilter) =>
  queryOptions({
    queryKey: queryKeys.conflicts(state, mine, campaign),
    queryFn: ({ signal }) =>
      unwrapResponse(apiClient.GET('/conflicts', { params: { query: { per_page: MAX_LISTED, ...(state && { state }), ...(mine !== undefined && { mine }), ...(campaign !== undefined && { campaign_id: campaign }) } }, signal }), 'conflicts*'),
  })

/** Queries the newest open conflicts of a campaign, or of all campaigns, and the number of all open conflicts. */
export const useOpenConflictsQuery = (campaign?: number, enabled = true) => useQuery({ ...conflictsQuery({ state: 'open', campaign }), enabled, retry: false })

/** Returns the data of `useOpenConflictsQuery`, which is `undefined` while the conflicts are loading, or when `enabled` is false. */
export const useOpenConflicts = (campaign?: number, enabled = true) => useOpenConflictsQuery(campaign, enabled).data

/** One of the two values in a conflict: `theirs` was stored first, by another save; `mine` arrived later. */
export type ConflictSide = 'theirs' | 'mine'
/** The two values of a conflict in the order in which they arrived at the server: `theirs`, then `mine`. */
export const CONFLICT_SIDES: readonly ConflictSide[] = ['theirs', 'mine']

/** Returns the value of one side of a conflict, and the HMC (login name) of the person who saved the value. */
export const getConflictSideValue = (conflict: FieldConflict, side: ConflictSide) => ({
  value: conflict[side],
  hmc: (side === 'mine' ? conflict.mine_by_hmc : conflict.theirs_by_hmc) ?? '?',
})

/** Returns whether a person may resolve a conflict in this field. Team leaders may do so only for fields that operators may change. */
export const mayResolveConflict = (userType: string, field: FieldConflict['field']): boolean =>
  isSupervisor(userType) || (mayManageCampaigns(userType) && OPERATOR_EDITABLE_FIELDS.includes(field))

/** Returns a mutation that resolves a conflict by choosing one of its two values. */
export function useResolveConflict() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ conflict, choice }: { conflict: FieldConflict; choice: ConflictSide }) =>
      unwrapResponse(apiClient.POST('/conflicts/{id}/settle', { params: { path: { id: conflict.id } }, body: { choice } }), VEHICLE_REQUIRED_FIELDS),
    onSuccess: (vehicle) => updateVehicleCache(queries, vehicle, null),
    onSettled: () => {
      refreshVehicleCountsThrottled(queries)
      return queries.invalidateQueries({ queryKey: queryKeys.anyConflicts })
    },
  })
}
