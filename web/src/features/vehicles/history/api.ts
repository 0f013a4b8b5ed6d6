import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/queryKeys'
import { useHistoryPageQuery } from '@/api/historyPageQuery'
import type { Vehicle } from '@/api/types'

const PAGE_SIZE = 20

/** Fetches one page of a vehicle's changes made before the timestamp `before`, newest first. `null` requests the newest changes. */
export const useVehicleHistoryPage = (id: number, before: string | null) =>
  useHistoryPageQuery(queryKeys.vehicleHistoryPage(id, before), async (signal) => {
    const query = { limit: PAGE_SIZE, ...(before === null ? {} : { before }) }
    const { changes, next } = await unwrapResponse(apiClient.GET('/vehicles/{id}/history', { params: { path: { id }, query }, signal }), 'changes*')
    return { events: changes, next }
  })

/** Fetches the history of a vehicle again when the vehicle has changed, on this device or elsewhere. */
export function useRefetchVehicleHistoryOnChange({ id, version, open_conflicts }: Vehicle): void {
  const queries = useQueryClient()
  const shown = useRef({ id, version, open_conflicts })
  useEffect(() => {
    const before = shown.current
    shown.current = { id, version, open_conflicts }
    const hasChanged = before.version !== version || before.open_conflicts !== open_conflicts
    if (before.id === id && hasChanged) void queries.invalidateQueries({ queryKey: queryKeys.vehicleHistory(id) })
  }, [queries, id, version, open_conflicts])
}
