import type { QueryClient } from '@tanstack/react-query'
import { queryKeys } from './queryKeys'
import type { ListedVehicle, Vehicle } from './types'

/** Writes the server's current state of a vehicle to the cached queries of the vehicle and of its campaign's vehicle list. */
export function updateVehicleCache(queries: QueryClient, vehicle: Vehicle, yard: number | null): void {
  queries.setQueryData(queryKeys.vehicle(vehicle.id, yard), vehicle)
  void queries.invalidateQueries({ queryKey: queryKeys.anyVehicle, predicate: ({ queryKey }) => queryKey[2] !== vehicle.id })
  queries.setQueryData<ListedVehicle[]>(queryKeys.vehicleList(vehicle.campaign_id), (list) =>
    list?.map((listed) => (listed.id === vehicle.id ? { ...listed, ...toVehicleListRow(vehicle) } : listed)),
  )
}

/** Returns the fields of a vehicle that a row of a campaign's vehicle list contains, except the id. */
export const toVehicleListRow = ({ vin_number, parking_space, yard_group, id_yard, status, inspected, version }: Vehicle) => ({
  vin_number,
  parking_space,
  yard_group,
  id_yard,
  status,
  inspected,
  version,
})

/** Invalidates the queries of campaigns and yards, because vehicle counts may have changed. Queries on screen are refetched at once. */
export const refreshVehicleCounts = (queries: QueryClient): Promise<unknown> =>
  Promise.all([queries.invalidateQueries({ queryKey: queryKeys.campaigns }), queries.invalidateQueries({ queryKey: queryKeys.yards })])

const AGAIN_MS = 1000
let isScheduled = false

/**
 * Refreshes the vehicle counts of campaigns and yards at once and again after a delay. Further calls during the delay do nothing, because
 * the delayed refresh includes their changes.
 */
export function refreshVehicleCountsThrottled(queries: QueryClient): void {
  if (isScheduled) return
  isScheduled = true
  void refreshVehicleCounts(queries)
  setTimeout(() => {
    isScheduled = false
    void refreshVehicleCounts(queries)
  }, AGAIN_MS)
}
