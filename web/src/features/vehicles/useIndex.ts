import { useEffect, useState } from 'react'
import type { ListedVehicle } from '@/api/types'
import { emptyIndex, extend, type Index, type Match } from '@/lib/match'

const PART = 4000

/** The index of a list, made in parts between which the page stays alive; the one before serves until then. */
export function useIndex(vehicles: readonly ListedVehicle[] | undefined): Index<ListedVehicle> | null {
  const [index, setIndex] = useState<Index<ListedVehicle> | null>(null)
  useEffect(() => {
    if (vehicles === undefined) return
    const growing = emptyIndex<ListedVehicle>()
    let start = 0
    let timer: ReturnType<typeof setTimeout>
    const part = () => {
      extend(growing, vehicles.slice(start, start + PART))
      start += PART
      if (start < vehicles.length) timer = setTimeout(part)
      else setIndex(growing)
    }
    timer = setTimeout(part)
    return () => clearTimeout(timer)
  }, [vehicles])
  return index
}

/** The same match with the vehicles as the list has them now. */
export function current(found: Match<ListedVehicle>, vehicles: readonly ListedVehicle[]): Match<ListedVehicle> {
  const now = (known: ListedVehicle) => vehicles.find(({ id }) => id === known.id) ?? known
  if (found.kind === 'one') return { kind: 'one', vehicle: now(found.vehicle) }
  return found.kind === 'none' ? found : { ...found, vehicles: found.vehicles.map(now) }
}
