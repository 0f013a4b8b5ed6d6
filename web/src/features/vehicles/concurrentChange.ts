import type { Vehicle } from '@/api/types'
import type { InspectionDraft } from '@/lib/inspectionDrafts'
import { VEHICLE_FIELDS } from '@/lib/vehicleFields'

/** Another person's change to fields that this person's draft also changes. */
export interface ConcurrentChange {
  /** Whether both people have changed the vehicle's status. */
  hasStatus: boolean
  /** Whether both people have entered different values for the same field. If so, saving opens a dialog that asks which version to keep. */
  asks: boolean
}

/**
 * Returns another person's change to fields that this draft also changes, or `null` without such a change. Also returns `null` for a draft
 * that replaces a save, because the vehicle may already contain that save.
 */
export function findConcurrentChange({ base, replaces, ...draft }: InspectionDraft, vehicle: Vehicle): ConcurrentChange | null {
  if (base === undefined || replaces !== undefined) return null
  const changed = VEHICLE_FIELDS.filter((field) => draft[field] !== base[field] && vehicle[field] !== base[field])
  if (changed.length === 0) return null
  return { hasStatus: changed.includes('status'), asks: changed.some((field) => draft[field] !== vehicle[field]) }
}
