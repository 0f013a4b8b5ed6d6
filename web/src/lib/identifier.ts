import { normal } from './normal'

/** The form in which identifiers are compared: the normal form in upper case, without blanks, hyphens and asterisks. */
export const keyOf = (text: string): string => normal(text).toUpperCase().replace(/[ \-*]/g, '')

/** Whether what was scanned or typed stands for this vehicle: a non-empty part of its identifier. */
export function identifies(entered: string, vin: string): boolean {
  const key = keyOf(entered)
  return key !== '' && keyOf(vin).includes(key)
}

const CONFIDENT_KEY = 4

/** The vehicles whose identifier an entry that is long enough to mean something stands for. */
export function vehiclesNamed<V extends { vin_number: string }>(entered: string, vehicles: readonly V[]): V[] {
  const key = keyOf(entered)
  if (key.length < CONFIDENT_KEY) return []
  const exact = vehicles.filter((vehicle) => keyOf(vehicle.vin_number) === key)
  return exact.length > 0 ? exact : vehicles.filter((vehicle) => keyOf(vehicle.vin_number).includes(key))
}

/** A scanned text as one can read it: the separators of makers' labels are blanks. */
export const readable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim()
