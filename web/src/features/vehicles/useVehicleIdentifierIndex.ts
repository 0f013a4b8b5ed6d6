import { useEffect, useState } from 'react'
import type { ListedVehicle } from '@/api/types'
import { createEmptyIdentifierIndex, extendIdentifierIndex, type IdentifierIndex, type VehicleMatchResult } from '@/lib/match'

const PART = 4000

/** Builds the search index of a vehicle list in parts, so that the page stays responsive. Returns the previous index until the new index is complete. */
export function useVehicleIdentifierIndex(vehicles: readonly ListedVehicle[] | undefined): IdentifierIndex<ListedVehicle> | null {
  const [index, setIndex] = useState<IdentifierIndex<ListedVehicle> | null>(null)
  useEffect(() => {
    if (vehicles === undefined) return
    const growing = createEmptyIdentifierIndex<ListedVehicle>()
    let start = 0
    let timer: ReturnType<typeof setTimeout>
    const part = () => {
      extendIdentifierIndex(growing, vehicles.slice(start, start + PART))
      start += PART
      if (start < vehicles.length) timer = setTimeout(part)
      else setIndex(growing)
    }
    timer = setTimeout(part)
    return () => clearTimeout(timer)
  }, [vehicles])
  return index
}

/** Returns the match with each vehicle replaced by its current version from the list. */
export function refreshMatchedVehicles(found: VehicleMatchResult<ListedVehicle>, vehicles: readonly ListedVehicle[]): VehicleMatchResult<ListedVehicle> {
  const now = (known: ListedVehicle) => vehicles.find(({ id }) => id === known.id) ?? known
  if (found.kind === 'one') return { kind: 'one', vehicle: now(found.vehicle) }
  return found.kind === 'none' ? found : { ...found, vehicles: found.vehicles.map(now) }
}
