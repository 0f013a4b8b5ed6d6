import { VEHICLE_FIELDS, pickVehicleFields, type VehicleFields } from './vehicleFields'
import { isRecord } from './json'
import { readStoredJson, writeStoredJson } from './storage'

/** Values that a person has entered for a vehicle and has not saved yet. */
export interface InspectionDraft extends VehicleFields {
  identifier: string
  /** Version number of the vehicle when the person began to enter values. */
  version: number
  /** Whether the vehicle's identifier was scanned, not typed. Absent in drafts of older app versions, which count as typed. */
  scanned?: boolean
  /** Values of the vehicle's fields when the person began to enter values. Absent in drafts of older app versions. */
  base?: VehicleFields
  /** Outbox sequence number of the unsent save, pending or rejected, that this draft replaces. */
  replaces?: number
}

const nameOf = (user: string, vehicle: number) => `draft:${user}:${vehicle}`

const hasFields = (value: unknown): boolean => isRecord(value) && VEHICLE_FIELDS.every((name) => typeof value[name] === 'string')
const isDraft = (value: unknown): value is InspectionDraft =>
  isRecord(value) && typeof value.version === 'number' && typeof value.identifier === 'string' && hasFields(value) && (value.base === undefined || hasFields(value.base))

/** Returns a draft with the vehicle's current values and no changes. */
export const createInspectionDraft = (vehicle: VehicleFields & { version: number }): InspectionDraft => ({ identifier: '', ...pickVehicleFields(vehicle), version: vehicle.version, base: pickVehicleFields(vehicle) })

/**
 * Returns a draft based on the current vehicle: fields that the person has not changed take the vehicle's current values. A draft of an
 * older app version, which lacks the original values (`base`), is returned unchanged. A draft that replaces a save is also returned
 * unchanged: the vehicle may already contain the values of that save, and these values must not overwrite the draft.
 */
export function rebaseInspectionDraft(draft: InspectionDraft, vehicle: VehicleFields): InspectionDraft {
  const { base } = draft
  if (base === undefined || draft.replaces !== undefined) return draft
  const now = { ...draft, base: { ...base } }
  for (const field of VEHICLE_FIELDS) if (draft[field] === base[field]) now[field] = now.base[field] = vehicle[field]
  return now
}

/** Returns a draft with the person's own changes applied to the vehicle that another person has saved meanwhile. */
export function mergeInspectionDraft(draft: InspectionDraft, current: VehicleFields & { version: number }): InspectionDraft {
  const onto = { ...createInspectionDraft(current), identifier: draft.identifier, scanned: draft.scanned }
  for (const field of VEHICLE_FIELDS) if (draft.base === undefined || draft[field] !== draft.base[field]) onto[field] = draft[field]
  return onto
}

export const readInspectionDraft = (user: string, vehicle: number): InspectionDraft | null =>
  readStoredJson(localStorage, nameOf(user, vehicle), isDraft)

export const writeInspectionDraft = (user: string, vehicle: number, draft: InspectionDraft | null): void =>
  writeStoredJson(localStorage, nameOf(user, vehicle), draft)
