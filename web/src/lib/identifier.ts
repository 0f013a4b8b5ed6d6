import { normalizeText } from './normalizeText'

/** Returns the key by which vehicle identifiers (VINs) are compared: normalized, in upper case, without spaces, hyphens and asterisks. */
export const toIdentifierKey = (text: string): string => normalizeText(text).toUpperCase().replace(/[ \-*]/g, '')

/** Returns whether a scanned or typed text identifies a vehicle: the text is a non-empty part of the vehicle's identifier. */
export function identifiesVehicle(entered: string, vin: string): boolean {
  const key = toIdentifierKey(entered)
  return key !== '' && toIdentifierKey(vin).includes(key)
}

const CONFIDENT_KEY = 4

/**
 * Returns the vehicles whose identifier equals the typed text or, if there are none, contains the text. Returns no vehicles when the text
 * has fewer than `CONFIDENT_KEY` characters.
 */
export function findVehiclesByIdentifier<V extends { vin_number: string }>(entered: string, vehicles: readonly V[]): V[] {
  const key = toIdentifierKey(entered)
  if (key.length < CONFIDENT_KEY) return []
  const exact = vehicles.filter((vehicle) => toIdentifierKey(vehicle.vin_number) === key)
  return exact.length > 0 ? exact : vehicles.filter((vehicle) => toIdentifierKey(vehicle.vin_number).includes(key))
}

/** Returns a scanned text for display. Control characters, which separate the fields of manufacturers' labels, are shown as spaces. */
export const replaceControlCharacters = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim()
