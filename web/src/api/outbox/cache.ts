import type { QueryClient } from '@tanstack/react-query'
import { refreshCounts, vehicleQuery, wholeListQuery } from '../queries'
import type { ListedVehicle, Vehicle } from '../types'

/** Puts a vehicle as the server has it now where screens will look for it. */
export function keep(queries: QueryClient, vehicle: Vehicle, yard: number | null): void {
  queries.setQueryData(vehicleQuery(vehicle.id, yard).queryKey, vehicle)
  void queries.invalidateQueries({ queryKey: ['vehicles', 'one'], predicate: ({ queryKey }) => queryKey[2] !== vehicle.id })
  queries.setQueryData(wholeListQuery(vehicle.campaign_id).queryKey, (list?: ListedVehicle[]) =>
    list?.map((listed) => (listed.id === vehicle.id ? { ...listed, ...rowOf(vehicle) } : listed)),
  )
}

export const rowOf = ({ vin_number, parking_space, yard_group, id_yard, status, inspected, version }: Vehicle) => ({
  vin_number,
  parking_space,
  yard_group,
  id_yard,
  status,
  inspected,
  version,
})

const REST_MS = 1000
let resting = false

/** Asks for counts again: at once, and of many calls in a row once a second. */
export function refreshCountsSoon(queries: QueryClient): void {
  if (resting) return
  resting = true
  void refreshCounts(queries)
  setTimeout(() => {
    resting = false
    void refreshCounts(queries)
  }, REST_MS)
}
