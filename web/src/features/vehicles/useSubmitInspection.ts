import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { updateVehicleCache } from '@/api/vehicleCache'
import { queryKeys } from '@/api/queryKeys'
import { ApiProblem } from '@/api/apiProblem'
import { getCurrentSession, getDataOwnerKey, type SessionUser } from '@/api/session'
import { getVehicleFromVersionConflict } from '@/api/versionConflict'
import type { Vehicle } from '@/api/types'
import { createInspectionDraft, mergeInspectionDraft, type InspectionDraft } from '@/lib/inspectionDrafts'
import { recordRecentNote } from '@/lib/recentNotes'
import { diffVehicleFields, VEHICLE_FIELDS, pickVehicleFields, OPERATOR_EDITABLE_FIELDS } from '@/lib/vehicleFields'
import { isSupervisor } from '@/lib/roles'
import { createUuid } from '@/lib/createUuid'
import { deleteOutboxEntry, RejectedSaveError, applyPendingSavesToVehicle, type SaveRequest, type SaveResult } from '@/offline/outbox'
import { showToast } from '@/ui/Toast'
import { findNextVehicleInCache, useSaveVehicle } from './api'
import { useInspectionText } from './text'
import type { AfterSaveAction, useAfterSaveNavigation } from './useAfterSaveNavigation'
import type { InspectionDraftState } from './useInspectionDraft'

const otherVinIn = (error: unknown): string | null => (error instanceof ApiProblem && error.code === 'OTHER_VEHICLE' ? error.text('vin_number') : null)

/** A save rejected with `OTHER_VEHICLE`: the server has another VIN under this vehicle id. */
export interface VehicleMismatch {
  request: SaveRequest
  base: Vehicle
  draft: InspectionDraft
  afterSave: AfterSaveAction
  /** VIN that the server has under this vehicle id. */
  serverVin: string
  /** Position of the save in the outbox; `null` when this device could not store the save. */
  seq: number | null
}

/** A save rejected because another person has saved the vehicle meanwhile. */
export interface SaveConflict {
  /** Vehicle as another person has saved it. */
  current: Vehicle
  /** Draft of the person's own changes, merged with the version saved by another person. */
  mine: InspectionDraft
  /**
   * The rejected save. `null` when no save was sent, because the draft has no `base` and the vehicle has changed since the draft was begun.
   */
  rejected: { request: SaveRequest; base: Vehicle; entry: InspectionDraft } | null
  afterSave: AfterSaveAction
}

interface Inspected {
  vehicle: Vehicle
  yard: number | null
  user: SessionUser
  /** Whether each save is sent only after a delay, in which the person can undo the save. */
  isUndoable: boolean
}

/**
 * Saves the inspection of a vehicle. If the server rejects the save because another person saved first (conflict), or because the vehicle has
 * another VIN now (mismatch), the person can resolve the problem and save again.
 */
export function useSubmitInspection({ vehicle, yard, user, isUndoable }: Inspected, draft: InspectionDraftState, { leave }: ReturnType<typeof useAfterSaveNavigation>) {
  const t = useInspectionText()
  const queries = useQueryClient()
  const save = useSaveVehicle()
  const keyOf = useIdempotencyKey()
  const [conflict, setConflict] = useState<SaveConflict | null>(null)
  const [mismatch, setMismatch] = useState<VehicleMismatch | null>(null)
  const [saved, setSaved] = useState(false)
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])

  const submit = (base: Vehicle, entry: InspectionDraft, afterSave: AfterSaveAction) => {
    // The draft has no base to merge by field and the vehicle has changed since: the person chooses the version.
    if (entry.base === undefined && entry.version !== base.version) return setConflict({ current: base, mine: mergeInspectionDraft(entry, base), rejected: null, afterSave })
    send(buildSaveRequest(base, entry, user, yard, isUndoable), base, entry, afterSave)
  }

  const send = (request: SaveRequest, base: Vehicle, entry: InspectionDraft, afterSave: AfterSaveAction) => {
    const begun = performance.now()
    const complete = (result: SaveResult) => {
      const session = getCurrentSession()
      if (session === null || getDataOwnerKey(session.user) !== request.owner) return // signed out meanwhile; signing in again returns to this screen
      setSaved(true)
      if (request.mode === 'keep') showToast('info', t('conflict.bothKept'))
      recordRecentNote(request.owner, request.campaign, request.change.wanted.operator_notes ?? '')
      const waited = performance.now() - begun
      const inspected = result.kind === 'saved' ? result.vehicle : { ...applyPendingSavesToVehicle(base, [result.entry]), next: findNextVehicleInCache(queries, base, yard) }
      // The person may have left this screen, which must not take them elsewhere. `stay` goes nowhere: walk mode reports the save in any case.
      if (isShown.current || afterSave === 'stay') leave({ vehicle: inspected, result, entry, waited }, afterSave)
    }
    const sent = save.mutateAsync({ request, key: keyOf(JSON.stringify([request.change, request.version, request.mode])) }, {
      onError: (error) => {
        const current = getVehicleFromVersionConflict(error)
        const seq = error instanceof RejectedSaveError ? error.seq : null
        const rejected = { request: { ...request, replaces: seq ?? request.replaces }, base, entry }
        if (current !== null) setConflict({ current, mine: mergeInspectionDraft(entry, current), rejected, afterSave })
        if (seq !== null) draft.show({ ...entry, replaces: seq }) // the next save from this screen replaces the rejected one
        const serverVin = otherVinIn(error)
        if (serverVin === null) return
        setMismatch({ request, base, draft: entry, afterSave, serverVin, seq })
        void queries.invalidateQueries({ queryKey: queryKeys.vehicle(vehicle.id, yard) })
      },
    })
    sent.then(complete, () => undefined) // `onError` and `error` report a failure
  }

  return {
    saved,
    conflict,
    mismatch,
    busy: save.isPending,
    /** Error of the last save; `null` without an error, after a version conflict, and while the person is asked about a mismatch. */
    error: getVehicleFromVersionConflict(save.error) === null && mismatch === null ? save.error : null,
    /** Saves the inspection as typed. Values in `part` take precedence over typed values. */
    submit: (afterSave: AfterSaveAction, part: Partial<InspectionDraft> = {}) => submit(vehicle, { ...draft.entry, ...part }, afterSave),
    keepMine: ({ current, mine, afterSave }: SaveConflict) => {
      updateVehicleCache(queries, current, yard)
      draft.store(mine)
      setConflict(null)
      submit(current, mine, afterSave)
    },
    /**
     * Sends the rejected save again, so that the server records both versions and a team leader chooses. If `rejected` is null, sends
     * nothing.
     */
    keepBoth: ({ rejected, afterSave }: SaveConflict) => {
      setConflict(null)
      if (rejected === null) return
      send({ ...rejected.request, mode: 'keep' }, rejected.base, rejected.entry, afterSave)
    },
    takeTheirs: ({ current }: SaveConflict) => {
      updateVehicleCache(queries, current, yard)
      draft.store({ ...createInspectionDraft(current), identifier: draft.entry.identifier, scanned: draft.entry.scanned })
      setConflict(null)
    },
    decideLater: () => setConflict(null),
    saveToOther: ({ request, base, draft: entry, afterSave, serverVin, seq }: VehicleMismatch) => {
      setMismatch(null)
      send({ ...request, vin: serverVin, replaces: seq ?? request.replaces }, { ...base, vin_number: serverVin }, entry, afterSave)
    },
    discardMismatch: async ({ seq }: VehicleMismatch) => {
      if (seq !== null) await deleteOutboxEntry(seq)
      draft.store(null)
      setMismatch(null)
      save.reset()
    },
    leaveMismatch: () => setMismatch(null),
  }
}

/** Builds the save from a draft. Leaves out fields that the user's role may not change. */
function buildSaveRequest(vehicle: Vehicle, draft: InspectionDraft, user: SessionUser, yard: number | null, isUndoable: boolean): SaveRequest {
  const { id, vin_number, parking_space, campaign_id, campaign_name, inspected } = vehicle
  return {
    owner: getDataOwnerKey(user), hmc: user.hmc, vehicle: id, vin: vin_number, space: parking_space, campaign: campaign_id, campaign_name, yard, inspected,
    stands_in: vehicle.id_yard ?? null,
    version: draft.version,
    change: diffVehicleFields(draft.base ?? pickVehicleFields(vehicle), draft, isSupervisor(user.user_type) ? VEHICLE_FIELDS : OPERATOR_EDITABLE_FIELDS),
    origin: draft.scanned === true ? 'scanned' : 'typed',
    replaces: draft.replaces ?? null,
    held: isUndoable && draft.replaces === undefined, // an undo would not bring back the replaced save
  }
}

/**
 * Returns a function that assigns an idempotency key to the content of a save. The key changes only when the content changes, so that the
 * server recognizes a repeated save.
 */
function useIdempotencyKey() {
  const last = useRef({ content: '', key: '' })
  return (content: string): string => {
    if (last.current.content !== content) last.current = { content, key: createUuid() }
    return last.current.key
  }
}
