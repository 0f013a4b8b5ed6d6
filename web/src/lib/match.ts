import { keyOf } from './identifier'

export interface Named {
  id: number
  vin_number: string
}

/** What a scanned or typed text stands for in a campaign. */
export type Match<V> =
  | { kind: 'one'; vehicle: V }
  /** No rule names a single one. */
  | { kind: 'several'; vehicles: V[] }
  /** Only if letters that look like digits are taken for them; never taken by itself. */
  | { kind: 'perhaps'; vehicles: V[] }
  | { kind: 'none' }

/** A campaign's vehicles by their keys, made once. */
export interface Index<V> {
  byKey: Map<string, V[]>
  byLook: Map<string, V[]>
  /** The lengths of keys that may stand inside a longer text. */
  lengths: number[]
  longest: number
}

const CONTAINED = 8
const ENDING = 6
const VIN = 17
const LONGEST = 600

/** The key with letters that are never in a VIN as the digits they look like. */
const lookOf = (key: string): string => key.replaceAll(/[OQ]/g, '0').replaceAll('I', '1')

export const emptyIndex = <V>(): Index<V> => ({ byKey: new Map(), byLook: new Map(), lengths: [], longest: 0 })

/** Adds vehicles to an index; a large campaign is indexed in parts. */
export function extend<V extends Named>(index: Index<V>, vehicles: readonly V[]): Index<V> {
  const lengths = new Set(index.lengths)
  for (const vehicle of vehicles) {
    const key = keyOf(vehicle.vin_number)
    if (key === '') continue
    add(index.byKey, key, vehicle)
    add(index.byLook, lookOf(key), vehicle)
    if (key.length >= CONTAINED) lengths.add(key.length)
    index.longest = Math.max(index.longest, key.length)
  }
  index.lengths = [...lengths]
  return index
}

export const indexOf = <V extends Named>(vehicles: readonly V[]): Index<V> => extend(emptyIndex<V>(), vehicles)

function add<V>(map: Map<string, V[]>, key: string, vehicle: V): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [vehicle])
  else known.push(vehicle)
}

/** The vehicles whose whole key stands somewhere in a longer text: a link, fields, a rail tag. */
function contained<V>(byKey: Map<string, V[]>, lengths: number[], key: string): V[] {
  const found = new Map<string, V[]>()
  for (const length of lengths) {
    for (let start = 0; start + length <= key.length; start++) {
      const part = key.slice(start, start + length)
      const vehicles = byKey.get(part)
      if (vehicles !== undefined) found.set(part, vehicles)
    }
  }
  const widest = [...found.keys()].filter((part) => ![...found.keys()].some((other) => other !== part && other.includes(part)))
  return widest.flatMap((part) => found.get(part) ?? [])
}

function ending<V>({ byKey, longest }: Index<V>, key: string): V[] {
  const found: V[] = []
  if (key.length < ENDING || key.length > longest) return found
  for (const [known, vehicles] of byKey) if (known.endsWith(key)) found.push(...vehicles)
  return found
}

/** The key without the mark of imported cars, which is not part of the identifier. */
const withoutMark = (key: string): string | null => (key.length === VIN + 1 && key.startsWith('I') ? key.slice(1) : null)

/** Finds what a text stands for: the first rule that names exactly one vehicle wins. */
export function match<V extends Named>(text: string, index: Index<V>): Match<V> {
  const { byKey, byLook, lengths } = index
  const key = keyOf(text).slice(0, LONGEST)
  if (key === '') return { kind: 'none' }
  const bare = withoutMark(key)
  const rules = [
    () => byKey.get(key) ?? [],
    () => contained(byKey, lengths, key),
    () => (bare === null ? [] : (byKey.get(bare) ?? [])),
    () => ending(index, key),
    () => (bare === null ? [] : ending(index, bare)),
  ]
  let several: V[] = []
  for (const rule of rules) {
    const vehicles = rule()
    if (vehicles.length === 1 && vehicles[0] !== undefined) return { kind: 'one', vehicle: vehicles[0] }
    if (several.length === 0) several = vehicles
  }
  if (several.length > 0) return { kind: 'several', vehicles: several }
  const alike = lookAlikes(key, bare, byLook, lengths)
  return alike.length > 0 ? { kind: 'perhaps', vehicles: alike } : { kind: 'none' }
}

function lookAlikes<V>(key: string, bare: string | null, byLook: Map<string, V[]>, lengths: number[]): V[] {
  const look = lookOf(key)
  const equal = byLook.get(look) ?? (bare === null ? undefined : byLook.get(lookOf(bare)))
  return equal ?? contained(byLook, lengths, look)
}
