import { hasRequiredFields } from '@/api/requiredFields'
import type { FieldConflict } from '@/api/types'
import type { VehicleChange, VehicleFields } from '@/lib/vehicleFields'
import { isRecord } from '@/lib/json'
import type { SaveState } from '../schema'

/** The server's reason for rejecting a save of a vehicle. */
export interface SaveRejection {
  status: number
  code: string
  message: string
  /** VIN of the vehicle at the server, when it differs from the VIN that the person saw. */
  vin_number?: string
}

/** The fields of a save that are stored encrypted with the key of the person who saved. */
export interface PendingSavePayload {
  /** Idempotency key, by which the server recognizes a repeated request and applies the save only once. */
  key: string
  hmc: string
  vehicle: number
  /** VIN that the person saw on the vehicle. The server rejects the save when the vehicle has another VIN. */
  vin: string
  space: string
  campaign: number
  campaign_name: string
  /** Id of the yard that the person had chosen to work in; null if no yard was chosen. */
  yard: number | null
  /** Id of the yard in which the vehicle stands, which may differ from the chosen yard; null for a vehicle without a yard. */
  stands_in: number | null
  /** Version number of the vehicle that the person saw when saving. */
  version: number
  change: VehicleChange
  /** Whether the vehicle counted as inspected before the save. */
  inspected: boolean
  origin: 'scanned' | 'typed'
  /** Outbox position of the unsent save, pending or rejected, that this save replaces; null when this save replaces no other save. */
  replaces: number | null
  device_time: string
  /** How the server handles a conflict: `ask` rejects the save, so that the person at the screen decides; `keep` records the conflict. */
  mode: 'ask' | 'keep'
  /** Whether the save is sent only `UNDO_PERIOD_MS` after it was made, so that the person can undo the save. */
  held: boolean
  reason: SaveRejection | null
  /** Conflicts that the save caused at the server. The save stays on this device until all of these conflicts are resolved. */
  conflicts: FieldConflict[]
  /** Time at which the server stored the save, in milliseconds since 1970; null until then. */
  done_at: number | null
}

/**
 * Change of a vehicle that a person saved: a decrypted entry of the outbox. After the server has stored the change, the entry stays on this
 * device for a few days with the state `done`.
 */
export interface PendingSave extends PendingSavePayload {
  id: string
  owner: string
  /** Time at which the person saved the vehicle, in milliseconds since 1970. */
  at: number
  state: SaveState
}

/** A pending save with its position in the outbox database. */
export interface OutboxEntry extends PendingSave {
  /** Position of the save in the order of sending. */
  seq: number
}

/** Time in milliseconds for which a save can be held on this device before it is sent, so that the person can undo the save. */
export const UNDO_PERIOD_MS = 6000

/** Returns the time in milliseconds for which a save can still be undone; 0 if the save is not held, or if the clock was set back. */
export function getUndoMsLeft({ held, at }: PendingSave, now: number): number {
  return held && now >= at ? Math.max(0, at + UNDO_PERIOD_MS - now) : 0
}

/** Returns whether decrypted JSON is the content of a save. */
export const isPendingSavePayload = (value: unknown): value is PendingSavePayload =>
  isRecord(value) && hasRequiredFields(value, 'key$ vehicle# vin$ campaign# version# origin$ mode$ conflicts*') && typeof value.held === 'boolean' && isRecord(value.change) && isRecord(value.change.base) && isRecord(value.change.wanted)

interface Inspectable extends VehicleFields {
  id: number
  inspected: boolean
}

/** Applies pending saves to a vehicle. Ignores saves that were made for another vehicle (another VIN) under the same id. */
export function applyPendingSavesToVehicle<V extends Partial<Inspectable>>(vehicle: V, own: readonly PendingSave[]): V {
  return own.reduce<V>((shown, { vin, change: { wanted } }) => {
    const isOfThis = shown.vin_number === undefined || [vin, wanted.vin_number].includes(shown.vin_number)
    return isOfThis ? { ...shown, ...wanted, inspected: true } : shown
  }, vehicle)
}

/**
 * Returns the VIN that the server now has under the save's vehicle id, if the server rejected the save because of this VIN. Returns null
 * for any other save.
 */
export const getMismatchedServerVin = ({ state, reason }: PendingSave): string | null => (state === 'refused' && reason?.code === 'OTHER_VEHICLE' ? (reason.vin_number ?? null) : null)

/**
 * Returns a key that is equal for all saves with the same vehicle mismatch; null for a save without a mismatch. A mismatch means that the
 * server rejected the save, because its vehicle id now belongs to another vehicle. The person decides once for all saves with the same key.
 */
export function getVehicleMismatchGroupKey(entry: PendingSave): string | null {
  const now = getMismatchedServerVin(entry)
  return now === null ? null : JSON.stringify([entry.vehicle, entry.vin, now])
}

/**
 * Returns the number of inspected vehicles whose id now belongs to another vehicle. Counts vehicles, not saves, because the person decides
 * once per vehicle what happens to all of its saves.
 */
export const countVehicleMismatches = (entries: readonly OutboxEntry[]): number => new Set(entries.flatMap((entry) => getVehicleMismatchGroupKey(entry) ?? [])).size

/** Groups the saves that wait to be sent by vehicle id, each group in the order of sending. Leaves out rejected and sent saves. */
export function groupPendingSavesByVehicle<E extends PendingSave>(entries: readonly E[]): Map<number, E[]> {
  const pending = new Map<number, E[]>()
  for (const entry of entries) {
    if (entry.state !== 'waiting') continue
    const known = pending.get(entry.vehicle)
    if (known === undefined) pending.set(entry.vehicle, [entry])
    else known.push(entry)
  }
  return pending
}

/** Applies pending saves to the rows of a list. Returns the same list when no save is pending. */
export function applyPendingSavesToList<V extends Partial<Inspectable> & { id: number }>(list: V[], pending: ReadonlyMap<number, PendingSave[]>): V[] {
  if (pending.size === 0) return list
  return list.map((vehicle) => {
    const own = pending.get(vehicle.id)
    return own === undefined ? vehicle : applyPendingSavesToVehicle(vehicle, own.map(withoutNotes))
  })
}

/** Returns a save without its notes, because rows of a vehicle list have no notes. */
const withoutNotes = ({ change: { base, wanted: { operator_notes: _operator, admin_notes: _admin, ...wanted } }, ...entry }: PendingSave): PendingSave => ({ ...entry, change: { base, wanted } })

/**
 * Returns the number of vehicles whose first inspection is still in the outbox of this device. Counts only vehicles of the given campaign
 * and yard; `null` stands for all campaigns or all yards.
 */
export function countUnsentInspections(pending: ReadonlyMap<number, PendingSave[]>, campaign: number | null, yard: number | null): number {
  let count = 0
  for (const [first] of pending.values()) {
    if (first !== undefined && (campaign === null || first.campaign === campaign) && !first.inspected && (yard === null || first.stands_in === yard)) count++
  }
  return count
}

/** Next step after a failed attempt to send a pending save, chosen by `chooseSendFailureAction`. */
export type SendFailureAction = 'retry' | 'signedOut' | 'outdatedVersion' | 'refused' | 'retained'

/**
 * Chooses the next step after a failed attempt to send a pending save.
 *
 * - `refused`: The screen that waits for the response shows the rejection. If no screen waits, the save stays in the outbox.
 * - `retained`: The save always stays in the outbox, because the vehicle was deleted or replaced.
 * - `outdatedVersion`: Another person has saved a newer version of the vehicle.
 */
export function chooseSendFailureAction(status: number, code: string, mode: PendingSave['mode']): SendFailureAction {
  if (status === 401 || code === 'PASSWORD_MUST_CHANGE') return 'signedOut'
  // The gateway sends an error code with every rejection. A rejection without a code comes from a captive portal.
  if (code.startsWith('HTTP_')) return 'retry'
  if (status === 0 || status >= 500 || status === 408 || status === 425 || status === 429) return 'retry'
  if (status === 404 || code === 'OTHER_VEHICLE') return 'retained'
  return code === 'STALE_VERSION' && mode === 'ask' ? 'outdatedVersion' : 'refused'
}
