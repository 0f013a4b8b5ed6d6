import type { ListedVehicle } from '@/api/types'
import { toIdentifierKey } from '@/lib/identifier'
import { normalizeText } from '@/lib/normalizeText'
import { compareNamesNaturally } from '@/lib/yards'

/** Vehicles of a campaign, prepared once so that searching on every key press is fast. */
export interface VehicleSearchIndex {
  vehicles: readonly ListedVehicle[]
  /** VIN and parking space of all vehicles in lower case, joined into one text that is searched in one pass. */
  text: string
  /** Offset of each vehicle's part in `text`, followed by the length of `text`. */
  begins: Uint32Array
  /**
   * Values of the yard filter in natural order. A value is a yard, or a yard group (the part of a parking space before its first hyphen).
   */
  places: readonly string[]
  /** VINs and parking spaces in upper case, with spaces, hyphens and asterisks removed. Created when a search first needs them. */
  keys?: Texts
}

interface Texts {
  text: string
  begins: Uint32Array
}

const BREAK = '\n' // cannot be typed into a search field, so no search matches across two texts

/**
 * Returns the yard filter values that match a vehicle. For the parking space AB-3, these are the yard A and the yard group AB. A vehicle
 * without a yard matches only its yard group.
 */
function placesOf({ id_yard, parking_space, yard_group }: ListedVehicle): string[] {
  const yard = parking_space.trim().charAt(0).toUpperCase()
  return id_yard == null || yard === yard_group.toUpperCase() ? [id_yard == null ? yard_group : yard] : [yard, yard_group]
}

function joined(texts: string[]): Texts {
  const begins = new Uint32Array(texts.length + 1)
  for (const [index, text] of texts.entries()) begins[index + 1] = (begins[index] ?? 0) + text.length
  return { text: texts.join(''), begins }
}

export function buildVehicleSearchIndex(vehicles: readonly ListedVehicle[]): VehicleSearchIndex {
  const texts = vehicles.map(({ vin_number, parking_space }) => `${vin_number}${BREAK}${parking_space}${BREAK}`.toLowerCase())
  return { vehicles, ...joined(texts), places: [...new Set(vehicles.flatMap(placesOf))].toSorted(compareNamesNaturally) }
}

export interface VehicleListFilter {
  search: string
  yard: string
  /**
   * Statuses to list; an empty list means all vehicles. 'none' stands for inspected vehicles without a status, 'waiting' for vehicles
   * not inspected.
   */
  statuses: readonly string[]
}

export const FILTER_INSPECTED_WITHOUT_STATUS = 'none'
export const FILTER_NOT_INSPECTED = 'waiting'
/**
 * Returns the value of the status filter that selects a vehicle: its status. Without a status, the value is 'none' for an inspected
 * vehicle, else 'waiting'.
 */
export const getStatusFilterValue = ({ status, inspected }: ListedVehicle): string => (status !== '' ? status : inspected ? FILTER_INSPECTED_WITHOUT_STATUS : FILTER_NOT_INSPECTED)

interface Found {
  vehicles: readonly ListedVehicle[]
  /** Number of vehicles per status, among the vehicles that match the search and the yard. */
  counts: Map<string, number>
  total: number
}

/**
 * Returns the vehicles that match the filter, and the number of vehicles per status. The numbers ignore the status filter, because the
 * status chips also show the statuses that are not chosen.
 */
export function filterVehicleList(index: VehicleSearchIndex, { search, yard, statuses }: VehicleListFilter): Found {
  const matching = searched(index, search)
  const inYard = yard === '' ? matching : matching.filter((vehicle) => placesOf(vehicle).includes(yard))
  return {
    vehicles: statuses.length === 0 ? inYard : inYard.filter((vehicle) => statuses.includes(getStatusFilterValue(vehicle))),
    counts: counted(inYard),
    total: inYard.length,
  }
}

/** Counts vehicles per status. Adds each run of equal statuses at once, because neighbouring vehicles often have the same status. */
function counted(vehicles: readonly ListedVehicle[]): Map<string, number> {
  const counts = new Map<string, number>()
  let [run, from] = ['', 0]
  const note = (until: number) => until > from && counts.set(run, (counts.get(run) ?? 0) + until - from)
  for (const [index, vehicle] of vehicles.entries()) {
    const name = getStatusFilterValue(vehicle)
    if (name === run) continue
    note(index)
    run = name
    from = index
  }
  note(vehicles.length)
  return counts
}

/**
 * Returns the vehicles whose VIN or parking space contains the search text. Without a match, ignores spaces, hyphens and asterisks. If
 * there is still no match, also ignores a leading `I`, which labels of imported cars add to the VIN.
 */
function searched(index: VehicleSearchIndex, search: string): readonly ListedVehicle[] {
  const { vehicles } = index
  const needle = normalizeText(search).toLowerCase()
  if (needle === '') return vehicles
  const found = holding(vehicles, index, needle)
  const key = toIdentifierKey(search)
  // A leading hyphen names the '-' yard; normalization would remove it and change the meaning of the search.
  if (found.length > 0 || key === '' || needle.startsWith('-')) return found
  index.keys ??= joined(vehicles.map(({ vin_number, parking_space }) => `${toIdentifierKey(vin_number)}${BREAK}${toIdentifierKey(parking_space)}${BREAK}`))
  const byKey = holding(vehicles, index.keys, key)
  return byKey.length === 0 && /^I./.test(key) ? holding(vehicles, index.keys, key.slice(1)) : byKey
}

function holding(vehicles: readonly ListedVehicle[], { text, begins }: Texts, needle: string): ListedVehicle[] {
  const found: ListedVehicle[] = []
  let row = 0
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, begins[row])) {
    while ((begins[row + 1] ?? 0) <= at) row++
    const vehicle = vehicles[row++]
    if (vehicle !== undefined) found.push(vehicle)
  }
  return found
}
