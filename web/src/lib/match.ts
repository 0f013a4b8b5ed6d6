import { toIdentifierKey } from './identifier'

/** The fields of a vehicle that are compared with a scanned or typed text. */
export interface IdentifiableVehicle {
  id: number
  vin_number: string
}

/** Result of matching a scanned or typed text against the vehicles of a campaign. */
export type VehicleMatchResult<V> =
  | { kind: 'one'; vehicle: V }
  /** No rule matches exactly one vehicle. `vehicles` are the matches of the first rule that finds several vehicles. */
  | { kind: 'several'; vehicles: V[] }
  /** Vehicles match only when letters that look like digits are read as digits. The person has to confirm this match. */
  | { kind: 'lookAlike'; vehicles: V[] }
  /** A scan contains only a part of one vehicle's identifier. The user has to confirm this match. */
  | { kind: 'part'; vehicles: V[] }
  | { kind: 'none' }

/** Index of a campaign's vehicles by their normalized identifiers (keys). */
export interface IdentifierIndex<V> {
  byKey: Map<string, V[]>
  byLookAlikeKey: Map<string, V[]>
  /**
   * Lengths in characters of the keys that are searched for inside longer texts, such as links. Keys shorter than `CONTAINED` are left out.
   */
  lengths: number[]
  longest: number
}

const CONTAINED = 8
const ENDING = 6
const VIN = 17
/** Maximum number of characters that a QR code can contain. */
const MAX_QR_LENGTH = 4296
const MIN_FIELD_LENGTH = 5
const LINK = /:\/\/|^www\.|[?&][\w.-]+=/i
/** Separators of the fields of a label: characters that no identifier contains. */
const BETWEEN_FIELDS = /[^\p{L}\p{N}\p{M}\p{Zs}\p{Pd}./*]+/u
/** Separators of the parts of a scanned link (URL): the separators of label fields, and slashes. */
const BETWEEN_PARTS = /[^\p{L}\p{N}\p{M}\p{Zs}\p{Pd}.*]+/u

/**
 * Decodes the percent-encoding and the plus signs of a scanned link (URL). Any other text is returned unchanged, because Code 39 labels may
 * contain `%` and `+`.
 */
function decoded(text: string): string {
  if (!LINK.test(text)) return text
  return text.replaceAll('+', ' ').replaceAll(/(?:%[\da-f]{2})+/gi, (coded) => {
    try {
      return decodeURIComponent(coded)
    } catch {
      return coded
    }
  })
}

/** Replaces the letters that never occur in a VIN (I, O, Q) with the digits that they look like. */
const lookOf = (key: string): string => key.replaceAll(/[OQ]/g, '0').replaceAll('I', '1')

export const createEmptyIdentifierIndex = <V>(): IdentifierIndex<V> => ({ byKey: new Map(), byLookAlikeKey: new Map(), lengths: [], longest: 0 })

/** Adds vehicles to an index, so that a large campaign can be indexed in parts. Changes and returns the index. */
export function extendIdentifierIndex<V extends IdentifiableVehicle>(index: IdentifierIndex<V>, vehicles: readonly V[]): IdentifierIndex<V> {
  const lengths = new Set(index.lengths)
  for (const vehicle of vehicles) {
    const key = toIdentifierKey(vehicle.vin_number)
    if (key === '') continue
    add(index.byKey, key, vehicle)
    add(index.byLookAlikeKey, lookOf(key), vehicle)
    if (key.length >= CONTAINED) lengths.add(key.length)
    index.longest = Math.max(index.longest, key.length)
  }
  index.lengths = [...lengths]
  return index
}

export const createIdentifierIndex = <V extends IdentifiableVehicle>(vehicles: readonly V[]): IdentifierIndex<V> => extendIdentifierIndex(createEmptyIdentifierIndex<V>(), vehicles)

function add<V>(map: Map<string, V[]>, key: string, vehicle: V): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [vehicle])
  else known.push(vehicle)
}

/**
 * Returns the vehicles whose complete key (normalized identifier) occurs in a longer text, such as a link. A key inside another found key
 * does not count.
 */
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

/**
 * Returns the vehicles whose complete key (normalized identifier) equals one field of a scanned label or one part of a scanned link (URL).
 */
function fielded<V>(byKey: Map<string, V[]>, text: string): V[] {
  const keys = new Set([...text.split(BETWEEN_FIELDS), ...text.split(BETWEEN_PARTS)].map(toIdentifierKey))
  return [...keys].flatMap((key) => (key.length < MIN_FIELD_LENGTH ? [] : (byKey.get(key) ?? [])))
}

function ending<V>({ byKey, longest }: IdentifierIndex<V>, key: string): V[] {
  const found: V[] = []
  if (key.length < ENDING || key.length > longest) return found
  for (const [known, vehicles] of byKey) if (known.endsWith(key)) found.push(...vehicles)
  return found
}

/**
 * Returns an identifier key without the leading `I` that labels of imported cars add to the VIN. Returns null for a key without this `I`.
 */
const withoutMark = (key: string): string | null => (key.length === VIN + 1 && key.startsWith('I') ? key.slice(1) : null)

const keyIn = (text: string): string => toIdentifierKey(decoded(text)).slice(0, MAX_QR_LENGTH)

/** Returns the rules that require a vehicle's full identifier in the text, the strictest first. Each rule returns the vehicles it finds. */
function fullRules<V>(text: string, { byKey, lengths }: IdentifierIndex<V>): (() => V[])[] {
  const key = keyIn(text)
  const bare = withoutMark(key)
  return [
    () => byKey.get(key) ?? [],
    () => fielded(byKey, decoded(text)),
    () => contained(byKey, lengths, key),
    () => (bare === null ? [] : (byKey.get(bare) ?? [])),
  ]
}

/** Returns whether a text contains the full identifier of a vehicle, not only a part of an identifier or a look-alike. */
export const containsFullIdentifier = <V>(text: string, index: IdentifierIndex<V>): boolean => fullRules(text, index).some((rule) => rule().length > 0)

/** Matches a text against the vehicles of a campaign. The first rule that matches exactly one vehicle wins. */
export function matchTextToVehicles<V extends IdentifiableVehicle>(text: string, index: IdentifierIndex<V>): VehicleMatchResult<V> {
  const { byLookAlikeKey, lengths } = index
  const key = keyIn(text)
  if (key === '') return { kind: 'none' }
  const bare = withoutMark(key)
  const rules = [
    ...fullRules(text, index),
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
  const alike = lookAlikes(key, bare, byLookAlikeKey, lengths)
  return alike.length > 0 ? { kind: 'lookAlike', vehicles: alike } : { kind: 'none' }
}

function lookAlikes<V>(key: string, bare: string | null, byLookAlikeKey: Map<string, V[]>, lengths: number[]): V[] {
  const look = lookOf(key)
  const equal = byLookAlikeKey.get(look) ?? (bare === null ? undefined : byLookAlikeKey.get(lookOf(bare)))
  return equal ?? contained(byLookAlikeKey, lengths, look)
}
