import { saveBlobAsFile } from '@/api/files'
import type { ListedVehicle } from '@/api/types'

const DELIMITER = ';' // the list separator of spreadsheet programs in Brazil
const MARK = '\ufeff' // marks the file as UTF-8 for spreadsheet programs
const FORMULA = /^[=+\-@\t\r]/

/** Returns a CSV cell. A text that a spreadsheet program would treat as a formula gets a leading quote, as in the server's exports. */
function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[";\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns a CSV file with a header and one line per vehicle, in the order of the list. */
export function buildVehicleListCsv(header: readonly string[], vehicles: readonly ListedVehicle[], statusOf: (vehicle: ListedVehicle) => string): string {
  const rows = vehicles.map((vehicle) => [vehicle.vin_number, vehicle.parking_space, statusOf(vehicle)])
  return MARK + [header, ...rows].map((cells) => `${cells.map(cellOf).join(DELIMITER)}\r\n`).join('')
}

export const saveVehicleListCsv = (csv: string, campaign: string): void => saveBlobAsFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), `vehicles_${campaign}.csv`)
