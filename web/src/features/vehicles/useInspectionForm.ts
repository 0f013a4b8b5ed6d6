import { getDataOwnerKey, type SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import type { InspectionDraft } from '@/lib/inspectionDrafts'
import { identifiesVehicle } from '@/lib/identifier'
import { readRecentNotes } from '@/lib/recentNotes'
import { isSupervisor } from '@/lib/roles'
import { useCampaign } from './api'
import { findConcurrentChange } from './concurrentChange'
import { useAfterSaveNavigation, type CompletedSaveCallback } from './useAfterSaveNavigation'
import { useSubmitInspection } from './useSubmitInspection'
import { useInspectionDraft } from './useInspectionDraft'

interface InspectionFormOptions {
  onSaved?: CompletedSaveCallback
  /** Whether each save is sent after a delay, in which the person can undo the save. */
  isUndoable?: boolean
  /** Draft with the values of a save that the person corrects; `null` for a new inspection. */
  correction?: InspectionDraft | null
}

/** Manages one inspection: the typed values and their draft, the save with its conflicts, and the navigation after the save. */
export function useInspectionForm(vehicle: Vehicle, yard: number | null, user: SessionUser, { onSaved, isUndoable = false, correction = null }: InspectionFormOptions) {
  const owner = getDataOwnerKey(user)
  const draft = useInspectionDraft(vehicle, owner, correction)
  const navigation = useAfterSaveNavigation(vehicle, yard, owner, onSaved)
  const submission = useSubmitInspection({ vehicle, yard, user, isUndoable }, draft, navigation)
  const closed = useCampaign(vehicle.campaign_id).data?.status === 'Closed'
  const { entry, restored, typedOn, store, discard } = draft
  const { campaign, delay, goNow, stay, exit } = navigation
  const supervisor = isSupervisor(user.user_type)
  const concurrent = findConcurrentChange(entry, vehicle)
  return {
    ...submission,
    entry, restored, typedOn, closed, campaign, delay, goNow, stay, discard,
    supervisor,
    /** Another person's change to fields that this draft also changes; `null` if there is none. The draft keeps the entered values. */
    concurrent,
    /**
     * Status that determines which statuses the person can choose: normally the stored status of the vehicle. If an operator and another
     * person change the status at the same time, the status before both changes applies.
     */
    previousStatus: concurrent?.hasStatus === true && !supervisor ? (entry.base ?? vehicle).status : vehicle.status,
    // The identifier is compared with the edited VIN, because a supervisor may be correcting the stored VIN.
    identified: identifiesVehicle(entry.identifier, entry.vin_number),
    listRecentNotes: () => readRecentNotes(owner, vehicle.campaign_id),
    change: (part: Partial<InspectionDraft>) => !submission.saved && !closed && store({ ...entry, ...part }),
    cancel: () => {
      store(null)
      exit()
    },
  }
}

export type InspectionForm = ReturnType<typeof useInspectionForm>
