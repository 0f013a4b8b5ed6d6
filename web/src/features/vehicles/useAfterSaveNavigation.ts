import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { Vehicle } from '@/api/types'
import { createInspectionDraft, type InspectionDraft } from '@/lib/inspectionDrafts'
import { readLastOpenedVehicle, writeLastOpenedVehicle } from '@/lib/lastOpenedVehicle'
import { buildPath } from '@/lib/route'
import { pickVehicleFields } from '@/lib/vehicleFields'
import type { SaveResult } from '@/offline/outbox'
import { vehicleQuery } from '@/offline/queries'
import { showToast } from '@/ui/Toast'
import { useInspectionText } from './text'
import { useVehicleNavigation } from './vehiclePane'

const NEXT_DELAY_MS = 3100
/**
 * Maximum duration of a quick save in milliseconds. When a save takes longer, the excess time is subtracted from the delay before the next
 * vehicle (`NEXT_DELAY_MS`). The delay is at least `LAST_MS`, so that the person can read the message.
 */
const QUICK_MS = 500
const LAST_MS = 1000

/** Where the app goes after a save: to the next vehicle, to the campaign, or nowhere ('stay'). */
export type AfterSaveAction = 'next' | 'exit' | 'stay'

/** A save that the server or this device has stored. */
export interface CompletedSave {
  vehicle: Vehicle
  result: SaveResult
  entry: InspectionDraft
  /** Time in milliseconds that the person has waited for the save. */
  waited: number
}
export type CompletedSaveCallback = (saved: CompletedSave) => void

/** The delay before the next vehicle is opened. */
export interface NextVehicleDelay {
  /** Id of the next vehicle. */
  next: number
  /** Whether the save is only stored on this device. */
  isQueued: boolean
  /** Length of the delay; `null` once the person has stopped it, so that the next vehicle opens only on request. */
  ms: number | null
  /** Draft with the saved values, with which the person can correct the save. */
  correction: InspectionDraft
}

/**
 * Provides the navigation after a save: to the next vehicle, to the campaign, or nowhere. Also stores the vehicle at which the person can
 * resume later, which is never one that is already inspected.
 */
export function useAfterSaveNavigation(vehicle: Vehicle, yard: number | null, owner: string, onSaved?: CompletedSaveCallback) {
  const t = useInspectionText()
  const queries = useQueryClient()
  const [delay, setDelay] = useState<NextVehicleDelay | null>(null)
  useEffect(() => {
    const place = placeOf(vehicle, yard)
    if (!vehicle.inspected) writeLastOpenedVehicle(owner, place)
    else if (readLastOpenedVehicle(owner)?.path === place.path) writeLastOpenedVehicle(owner, placeOfNext(queries, vehicle, yard))
  }, [owner, queries, vehicle, yard])
  const campaign = buildPath(`/campaign/${vehicle.campaign_id}`, { yard })
  const exits = useVehicleNavigation(campaign, yard)

  /** Opens the next vehicle at once, without waiting for the end of the delay. */
  const goNow = useCallback(() => {
    if (delay !== null) exits.openVehicle(delay.next)
  }, [delay, exits])
  useEffect(() => {
    const ms = delay?.ms ?? null
    const timer = ms === null ? undefined : setTimeout(goNow, ms)
    return () => clearTimeout(timer)
  }, [delay, goNow])

  return {
    /** Path of the page of the vehicle's campaign. */
    campaign,
    delay,
    goNow,
    /** Stops the delay, so that the next vehicle opens only on request. */
    stay: () => setDelay((current) => current && { ...current, ms: null }),
    leave: (saved: CompletedSave, afterSave: AfterSaveAction) => {
      const next = saved.vehicle.next ?? null
      const isQueued = saved.result.kind === 'queued'
      writeLastOpenedVehicle(owner, placeOfNext(queries, saved.vehicle, yard))
      if (afterSave === 'stay') return onSaved?.(saved)
      if (afterSave === 'next' && next !== null) return setDelay({ next, isQueued, ms: Math.max(LAST_MS, NEXT_DELAY_MS - Math.max(0, saved.waited - QUICK_MS)), correction: createCorrectionDraft(saved) })
      showToast('success', t(isQueued ? 'vehicle.keptExit' : 'vehicle.savedExit'))
      exits.leave()
    },
    /** Leaves the screen without a save. */
    exit: exits.leave,
  }
}

/**
 * Returns a draft with the saved values, so that the person can correct the save. If the save is still queued on this device, `replaces` is
 * the outbox position of the queued save, and `base` contains the vehicle's values before that save.
 */
function createCorrectionDraft({ vehicle, result, entry: { identifier, scanned } }: CompletedSave): InspectionDraft {
  if (result.kind === 'saved') return { ...createInspectionDraft(vehicle), identifier, scanned }
  const { seq, version, change } = result.entry
  const fields = pickVehicleFields(vehicle)
  return { ...fields, ...change.wanted, base: { ...fields, ...change.base }, identifier, scanned, version, replaces: seq }
}

/** Returns the place of the vehicle after `vehicle`; `null` without one, or while its data is not loaded. */
function placeOfNext(queries: QueryClient, { next }: Vehicle, yard: number | null) {
  const nextVehicle = next == null ? undefined : queries.getQueryData(vehicleQuery(next, yard).queryKey)
  return nextVehicle ? placeOf(nextVehicle, yard) : null
}

const placeOf = (vehicle: Vehicle, yard: number | null) => ({
  path: buildPath(`/vehicle/${vehicle.id}`, { yard }),
  vin: vehicle.vin_number,
  campaign: vehicle.campaign_name,
  space: vehicle.parking_space,
})
