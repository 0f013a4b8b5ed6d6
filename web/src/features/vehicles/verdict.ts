import { vehiclesNamed } from '@/lib/identifier'
import { match, type Index, type Match } from '@/lib/match'
import type { Signal } from '@/lib/signal'
import type { ListedVehicle } from '@/api/types'

const CONFIDENT = 4

/** What a text stands for in a campaign; besides the rules of a scan, a typed part names whoever has it. */
export function findIn(text: string, index: Index<ListedVehicle>, vehicles: readonly ListedVehicle[]): Match<ListedVehicle> {
  const found = match(text, index)
  if (found.kind !== 'none' && found.kind !== 'perhaps') return found
  const having = text.trim().length >= CONFIDENT ? vehiclesNamed(text, vehicles) : []
  if (having[0] !== undefined) return having.length === 1 ? { kind: 'one', vehicle: having[0] } : { kind: 'several', vehicles: having }
  return found
}

/** How a scan sounds before the car with this id; any car is the right one where none is named. */
export function signalOf(found: Match<ListedVehicle>, here: number | null): Signal {
  if (found.kind === 'none') return 'unknown'
  if (found.kind !== 'one') return 'elsewhere'
  if (here !== null && found.vehicle.id !== here) return 'elsewhere'
  return found.vehicle.inspected ? 'done' : 'right'
}
