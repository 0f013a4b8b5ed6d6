import type { ListedVehicle } from '@/api/types'
import { keyOf } from '@/lib/identifier'
import { normal } from '@/lib/normal'
import { naturally } from '@/lib/yards'

/** A campaign's vehicles, prepared once so that each key of a search is quick. */
export interface Prepared {
  vehicles: readonly ListedVehicle[]
  /** The texts of all vehicles below each other, in lower case: one search goes through all of them. */
  text: string
  /** Where each vehicle's text begins, and at last where the whole ends. */
  begins: Uint32Array
  /** The yard groups that occur, in natural order. */
  yards: readonly string[]
  /** The same with the yards that they are in. */
  places: readonly string[]
  /** The keys of identifiers and spaces, made when a search first needs them. */
  keys?: Texts
}

interface Texts {
  text: string
  begins: Uint32Array
}

const BREAK = '\n' // cannot be typed into a search field, so no search matches across two texts

/** The names by which a vehicle's place is filtered: its yard, and its group where that is narrower, as AB-3 is in yard A and group AB. */
function placesOf({ id_yard, parking_space, yard_group }: ListedVehicle): string[] {
  const yard = parking_space.trim().charAt(0).toUpperCase()
  return id_yard == null || yard === yard_group.toUpperCase() ? [id_yard == null ? yard_group : yard] : [yard, yard_group]
}

const distinct = (names: string[]): string[] => [...new Set(names)].toSorted(naturally)

function joined(texts: string[]): Texts {
  const begins = new Uint32Array(texts.length + 1)
  for (const [index, text] of texts.entries()) begins[index + 1] = (begins[index] ?? 0) + text.length
  return { text: texts.join(''), begins }
}

export function prepare(vehicles: readonly ListedVehicle[]): Prepared {
  const texts = vehicles.map(({ vin_number, parking_space }) => `${vin_number}${BREAK}${parking_space}${BREAK}`.toLowerCase())
  return { vehicles, ...joined(texts), yards: distinct(vehicles.map(({ yard_group }) => yard_group)), places: distinct(vehicles.flatMap(placesOf)) }
}

export interface Filter {
  search: string
  yard: string
  /** A status, '' for every one, 'none' for vehicles inspected without one, 'waiting' for those not inspected that have none. */
  status: string
}

export const NONE = 'none'
export const WAITING = 'waiting'
const nameOf = ({ status, inspected }: ListedVehicle): string => (status !== '' ? status : inspected ? NONE : WAITING)

interface Found {
  vehicles: ListedVehicle[]
  /** How many vehicles of each status match the search and the yard. */
  counts: Map<string, number>
  total: number
}

/** The vehicles that match, and how the statuses are spread among those of the search and yard. */
export function find(prepared: Prepared, { search, yard, status }: Filter): Found {
  const matching = searched(prepared, search)
  const inYard = yard === '' ? matching : matching.filter((vehicle) => placesOf(vehicle).includes(yard))
  return {
    vehicles: status === '' ? inYard : inYard.filter((vehicle) => nameOf(vehicle) === status),
    counts: counted(inYard),
    total: inYard.length,
  }
}

/** Vehicles of one status often stand together, so that a run of them is counted before it is noted. */
function counted(vehicles: ListedVehicle[]): Map<string, number> {
  const counts = new Map<string, number>()
  let [run, from] = ['', 0]
  const note = (until: number) => until > from && counts.set(run, (counts.get(run) ?? 0) + until - from)
  for (const [index, vehicle] of vehicles.entries()) {
    const name = nameOf(vehicle)
    if (name === run) continue
    note(index)
    run = name
    from = index
  }
  note(vehicles.length)
  return counts
}

/** The vehicles that hold the text; when there are none, those whose key does, with and without the `I` of imported cars. */
function searched(prepared: Prepared, search: string): ListedVehicle[] {
  const { vehicles } = prepared
  const needle = normal(search).toLowerCase()
  if (needle === '') return vehicles as ListedVehicle[]
  const found = holding(vehicles, prepared, needle)
  const key = keyOf(search)
  // A leading hyphen is the yard of that name: without it the search would mean something else.
  if (found.length > 0 || key === '' || needle.startsWith('-')) return found
  prepared.keys ??= joined(vehicles.map(({ vin_number, parking_space }) => `${keyOf(vin_number)}${BREAK}${keyOf(parking_space)}${BREAK}`))
  const byKey = holding(vehicles, prepared.keys, key)
  return byKey.length === 0 && /^I./.test(key) ? holding(vehicles, prepared.keys, key.slice(1)) : byKey
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
