import { useState } from 'react'
import type { Vehicle } from '@/api/types'
import { createInspectionDraft, readInspectionDraft, rebaseInspectionDraft, writeInspectionDraft, type InspectionDraft } from '@/lib/inspectionDrafts'

/**
 * Manages the draft of one vehicle: the values that a person has typed but not saved. The draft is stored on this device after each change.
 * `correction` is a draft for correcting an earlier save, or `null`; this device stores `correction` only after the first change.
 */
export function useInspectionDraft(vehicle: Vehicle, owner: string, correction: InspectionDraft | null) {
  const [edited, setEdited] = useState(() => correction ?? readInspectionDraft(owner, vehicle.id))
  const [restored, setRestored] = useState(edited !== null && correction === null)
  const [typedOn] = useState(() => otherVinTyped(edited, vehicle))
  const store = (draft: InspectionDraft | null) => {
    setEdited(draft)
    writeInspectionDraft(owner, vehicle.id, draft)
  }
  return {
    /** Values of the form: the draft merged with the current vehicle, or the vehicle's own values without a draft. */
    entry: edited === null ? createInspectionDraft(vehicle) : rebaseInspectionDraft(edited, vehicle),
    /** Whether the draft was typed earlier and restored when the screen opened. */
    restored,
    /** VIN of the vehicle when the draft was begun, if the vehicle's VIN has changed since; `null` otherwise. */
    typedOn,
    store,
    /** Shows values without storing them as a draft, because the outbox already stores them. */
    show: setEdited,
    discard: () => {
      setRestored(false)
      store(null)
    },
  }
}

export type InspectionDraftState = ReturnType<typeof useInspectionDraft>

/** Returns the VIN for which a draft was typed, or `null` when the vehicle still has that VIN. */
function otherVinTyped(draft: InspectionDraft | null, { vin_number }: Vehicle): string | null {
  const seen = draft?.base?.vin_number ?? ''
  return seen === '' || seen === vin_number ? null : seen
}
