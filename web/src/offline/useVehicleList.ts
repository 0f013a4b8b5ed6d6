import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCancelAndRefetch } from '@/api/useCancelAndRefetch'
import { applyPendingSavesToList, usePendingSaves } from './outbox'
import { vehicleListQuery } from './queries'

/** Returns the full vehicle list of a campaign, with this device's pending saves applied. Loads the list only while `enabled` is true. */
export function useVehicleList(campaign: number, enabled = true) {
  const query = vehicleListQuery(campaign)
  const { data, isLoading, isError, error } = useQuery({ ...query, enabled })
  const refetch = useCancelAndRefetch(query.queryKey)
  const pending = usePendingSaves()
  const shown = useMemo(() => (enabled && data ? applyPendingSavesToList(data, pending) : undefined), [enabled, data, pending])
  return { data: shown, isLoading, isError, error, refetch }
}
