import { useQuery } from '@tanstack/react-query'
import { vehicleQuery } from './queries'

/** Fetches the vehicle that comes next before it is asked for. */
export function useVehicleAhead(next: number | null, yard: number | null): void {
  useQuery({ ...vehicleQuery(next ?? 0, yard), enabled: next !== null, notifyOnChangeProps: [] })
}
