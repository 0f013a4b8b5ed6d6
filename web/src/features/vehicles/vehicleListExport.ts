import { saveBlobAsFile } from '@/api/files'
import type { ListedVehicle } from '@/api/types'
import { buildCsv } from '@/lib/csv'

/** Returns a CSV file with a header and one line per vehicle, in the order of the list. */
export function buildVehicleListCsv(header: readonly string[], vehicles: readonly ListedVehicle[], statusOf: (vehicle: ListedVehicle) => string): string {
  return buildCsv([header, ...vehicles.map((vehicle) => [vehicle.vin_number, vehicle.parking_space, statusOf(vehicle)])])
}

export const saveVehicleListCsv = (csv: string, campaign: string): void => saveBlobAsFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), `vehicles_${campaign}.csv`)
