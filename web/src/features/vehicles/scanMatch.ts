import { findVehiclesByIdentifier, toIdentifierKey } from '@/lib/identifier'
import { containsFullIdentifier, matchTextToVehicles, type IdentifierIndex, type VehicleMatchResult } from '@/lib/match'
import type { ScanFeedback } from '@/lib/scanFeedback'
import type { ListedVehicle } from '@/api/types'

const CONFIDENT = 4

/**
 * Matches a typed text against a campaign's vehicles. A text that is neither a full VIN nor the ending of a VIN is searched for inside the
 * VINs.
 */
export function matchTypedTextToVehicles(text: string, index: IdentifierIndex<ListedVehicle>, vehicles: readonly ListedVehicle[]): VehicleMatchResult<ListedVehicle> {
  const found = matchTextToVehicles(text, index)
  if (found.kind !== 'none' && found.kind !== 'lookAlike') return found
  const having = text.trim().length >= CONFIDENT ? findVehiclesByIdentifier(text, vehicles) : []
  if (having[0] !== undefined) return having.length === 1 ? { kind: 'one', vehicle: having[0] } : { kind: 'several', vehicles: having }
  return found
}

/**
 * Matches a scanned text against a campaign's vehicles. If the text contains no full identifier, the person must confirm the vehicle,
 * because a part number or a date on a label may equal the ending of an identifier.
 */
export function matchScannedTextToVehicles(text: string, index: IdentifierIndex<ListedVehicle>, vehicles: readonly ListedVehicle[]): VehicleMatchResult<ListedVehicle> {
  const found = matchTypedTextToVehicles(text, index, vehicles)
  return found.kind === 'one' && !containsFullIdentifier(text, index) ? { kind: 'part', vehicles: [found.vehicle] } : found
}

/** Returns the vehicles whose parking space equals the typed text, apart from case, spaces and hyphens. */
export function findVehiclesAtParkingSpace(text: string, vehicles: readonly ListedVehicle[]): ListedVehicle[] {
  const key = toIdentifierKey(text)
  return key === '' ? [] : vehicles.filter(({ parking_space }) => toIdentifierKey(parking_space) === key)
}

/**
 * Returns the sound and vibration to play for a scan. `here` is the id of the expected vehicle, or `null` to accept any vehicle of the
 * campaign.
 */
export function chooseScanFeedback(found: VehicleMatchResult<ListedVehicle>, here: number | null): ScanFeedback {
  if (found.kind === 'none') return 'unknown'
  if (found.kind !== 'one') return 'otherVehicle'
  if (here !== null && found.vehicle.id !== here) return 'otherVehicle'
  return found.vehicle.inspected ? 'alreadyInspected' : 'matched'
}

/** Returns whether a text matches at least one vehicle of the campaign. The camera prefers matching labels when several are in view. */
export const hasMatchedVehicles = (found: VehicleMatchResult<ListedVehicle> | null): boolean => found !== null && found.kind !== 'none'
