import { useQuery } from '@tanstack/react-query'
import { vehicleQuery } from './queries'

/** Loads the next vehicle into the query cache, so that the page of that vehicle opens without delay. */
export function usePrefetchNextVehicle(next: number | null, yard: number | null): void {
  useQuery({ ...vehicleQuery(next ?? 0, yard), enabled: next !== null, notifyOnChangeProps: [] })
}
