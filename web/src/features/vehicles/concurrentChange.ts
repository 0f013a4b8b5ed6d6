import type { Vehicle } from '@/api/types'
import type { InspectionDraft } from '@/lib/inspectionDrafts'
import { VEHICLE_FIELDS } from '@/lib/vehicleFields'

/** A change of another person to fields that the draft of this person changes as well. */
export interface ConcurrentChange {
  /** Whether the vehicle's status has changed. */
  hasStatus: boolean
  /** Whether both people entered different values, so that the save leads to a question. */
  asks: boolean
}

/**
 * Returns the change that another person has saved to fields of this draft since the person entered them. Returns `null` without such a
 * change. A draft that replaces a save counts as unaffected, because the vehicle may already contain that save.
 */
export function findConcurrentChange({ base, replaces, ...draft }: InspectionDraft, vehicle: Vehicle): ConcurrentChange | null {
  if (base === undefined || replaces !== undefined) return null
  const changed = VEHICLE_FIELDS.filter((field) => draft[field] !== base[field] && vehicle[field] !== base[field])
  if (changed.length === 0) return null
  return { hasStatus: changed.includes('status'), asks: changed.some((field) => draft[field] !== vehicle[field]) }
}
