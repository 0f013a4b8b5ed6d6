import type { ListedVehicle } from '@/api/types'
import { createArrayGuard, parseJson } from '@/lib/json'

/** A row of a vehicle list as an array, which takes half the storage of an object. */
type EncodedRow = [id: number, vin: string, space: string, group: string, yard: number | null, status: ListedVehicle['status'], inspected: 0 | 1, version: number]

const ROWS_PER_PART = 2000

/** Encodes the rows of a vehicle list as JSON texts, each with a limited number of rows. */
export function encodeVehicleRows(rows: readonly ListedVehicle[]): string[] {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += ROWS_PER_PART) parts.push(JSON.stringify(rows.slice(start, start + ROWS_PER_PART).map(encodeRow)))
  return parts
}

const encodeRow = ({ id, vin_number, parking_space, yard_group, id_yard, status, inspected, version }: ListedVehicle): EncodedRow =>
  [id, vin_number, parking_space, yard_group, id_yard ?? null, status, inspected ? 1 : 0, version]

const isEncodedRow = (value: unknown): value is EncodedRow =>
  Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'string' && typeof value[2] === 'string' && typeof value[7] === 'number'
const isPart = createArrayGuard(isEncodedRow)

/** Decodes the rows of a stored vehicle list (snapshot). Returns null when a part is damaged. */
export function decodeVehicleRows(parts: readonly string[]): ListedVehicle[] | null {
  const rows: ListedVehicle[] = []
  for (const part of parts) {
    const encoded = parseJson(part, isPart)
    if (encoded === null) return null
    for (const row of encoded) rows.push(decodeRow(row))
  }
  return rows
}

const decodeRow = ([id, vin_number, parking_space, yard_group, id_yard, status, inspected, version]: EncodedRow): ListedVehicle =>
  ({ id, vin_number, parking_space, yard_group, id_yard, status, inspected: inspected === 1, version })
