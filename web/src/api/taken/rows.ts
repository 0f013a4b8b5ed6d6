import type { ListedVehicle } from '../types'

type Packed = [id: number, vin: string, space: string, group: string, yard: number | null, status: string, inspected: 0 | 1, version: number]

const PART = 2000

/** Rows as texts of a bounded length: half the size of objects on the disk, and quick to read. */
export function packed(rows: readonly ListedVehicle[]): string[] {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += PART) parts.push(JSON.stringify(rows.slice(start, start + PART).map(pack)))
  return parts
}

const pack = ({ id, vin_number, parking_space, yard_group, id_yard, status, inspected, version }: ListedVehicle): Packed =>
  [id, vin_number, parking_space, yard_group, id_yard ?? null, status, inspected ? 1 : 0, version]

export function unpacked(parts: readonly string[]): ListedVehicle[] {
  const rows: ListedVehicle[] = []
  for (const part of parts) for (const row of JSON.parse(part) as Packed[]) rows.push(unpack(row))
  return rows
}

const unpack = ([id, vin_number, parking_space, yard_group, id_yard, status, inspected, version]: Packed): ListedVehicle =>
  ({ id, vin_number, parking_space, yard_group, id_yard, status: status as ListedVehicle['status'], inspected: inspected === 1, version })

/** A list with newer rows in the places of the older ones; the same list when nothing is newer. */
export function patched(rows: readonly ListedVehicle[], newer: readonly ListedVehicle[], removed: readonly number[] = []): ListedVehicle[] {
  const [fresh, gone] = [new Map(newer.map((row) => [row.id, row])), new Set(removed)]
  let changed = false
  const result: ListedVehicle[] = []
  for (const row of rows) {
    const now = fresh.get(row.id)
    if (gone.has(row.id)) changed = true
    else if (now !== undefined && now.version > row.version) {
      changed = true
      result.push({ ...row, ...now })
    } else result.push(row)
  }
  return changed ? result : (rows as ListedVehicle[])
}

/** Whether rows came that the list does not have: only fetching it anew says where they stand. */
export function hasStrangers(rows: readonly ListedVehicle[], newer: readonly ListedVehicle[]): boolean {
  const known = new Set(rows.map(({ id }) => id))
  return newer.some(({ id }) => !known.has(id))
}
