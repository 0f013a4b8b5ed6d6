import type { ListedVehicle } from '@/api/types'
import { naturally } from '@/lib/yards'

/** A campaign's vehicles, prepared once so that each key of a search is quick. */
export interface Prepared {
  vehicles: readonly ListedVehicle[]
  haystacks: readonly string[]
  /** The yard groups that occur, in natural order. */
  yards: readonly string[]
}

const SEPARATOR = '\n' // cannot be typed into a search field, so no search matches across both texts

export function prepare(vehicles: readonly ListedVehicle[]): Prepared {
  return {
    vehicles,
    haystacks: vehicles.map(({ vin_number, parking_space }) => (vin_number + SEPARATOR + parking_space).toLowerCase()),
    yards: [...new Set(vehicles.map(({ yard_group }) => yard_group))].toSorted(naturally),
  }
}

export interface Filter {
  search: string
  yard: string
  /** A status, '' for every one, 'none' for vehicles without. */
  status: string
}

export const NONE = 'none'
export const statusName = ({ status }: ListedVehicle): string => (status === '' ? NONE : status)

interface Found {
  vehicles: ListedVehicle[]
  /** How many vehicles of each status match the search and the yard. */
  counts: Map<string, number>
  total: number
}

/** The vehicles that match, and how the statuses are spread among those of the search and yard. */
export function find({ vehicles, haystacks }: Prepared, { search, yard, status }: Filter): Found {
  const needle = search.trim().toLowerCase()
  const found: Found = { vehicles: [], counts: new Map(), total: 0 }
  vehicles.forEach((vehicle, index) => {
    if (yard !== '' && vehicle.yard_group !== yard) return
    if (needle !== '' && !haystacks[index]?.includes(needle)) return
    const name = statusName(vehicle)
    found.total++
    found.counts.set(name, (found.counts.get(name) ?? 0) + 1)
    if (status === '' || status === name) found.vehicles.push(vehicle)
  })
  return found
}
