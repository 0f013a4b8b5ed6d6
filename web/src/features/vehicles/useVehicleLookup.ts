import { useCallback } from 'react'
import type { ListedVehicle } from '@/api/types'
import { containsFullIdentifier, type VehicleMatchResult } from '@/lib/match'
import type { MatchGrade } from '@/lib/scanner'
import { useVehicleList } from '@/offline/useVehicleList'
import { refreshMatchedVehicles, useVehicleIdentifierIndex } from './useVehicleIdentifierIndex'
import { findVehiclesAtParkingSpace, matchScannedTextToVehicles, matchTypedTextToVehicles, hasMatchedVehicles } from './scanMatch'

/** Looks up scanned or typed texts among the vehicles of a campaign, once the list is loaded. */
export function useVehicleLookup(campaign: number) {
  const list = useVehicleList(campaign)
  const vehicles = list.data
  const index = useVehicleIdentifierIndex(vehicles)
  const find = useCallback(
    (text: string): VehicleMatchResult<ListedVehicle> | null =>
      index === null || vehicles === undefined ? null : refreshMatchedVehicles(matchTypedTextToVehicles(text, index, vehicles), vehicles),
    [index, vehicles],
  )
  const findScanned = useCallback(
    (text: string): VehicleMatchResult<ListedVehicle> | null =>
      index === null || vehicles === undefined ? null : refreshMatchedVehicles(matchScannedTextToVehicles(text, index, vehicles), vehicles),
    [index, vehicles],
  )
  const findAtSpace = useCallback((text: string): ListedVehicle[] => findVehiclesAtParkingSpace(text, vehicles ?? []), [vehicles])
  /** Grades a scanned text: `full` if it contains the full VIN of a vehicle, `part` for any other match, `none` without a match. */
  const fit = useCallback((text: string): MatchGrade => (index !== null && containsFullIdentifier(text, index) ? 'full' : hasMatchedVehicles(find(text)) ? 'part' : 'none'), [index, find])
  return { find, findScanned, findAtSpace, fit, vehicles, isError: list.isError && vehicles === undefined, error: list.error, retry: () => void list.refetch() }
}

export type VehicleLookup = ReturnType<typeof useVehicleLookup>
