import type { TextKey } from './text'

/** The fields of a vehicle that a save can change. */
export const VEHICLE_FIELDS = ['status', 'operator_notes', 'admin_notes', 'vin_number', 'parking_space'] as const
export type VehicleField = (typeof VEHICLE_FIELDS)[number]
export type VehicleFields = Record<VehicleField, string>

/** Fields of a vehicle that every user may change. Only supervisors may change the other fields. */
export const OPERATOR_EDITABLE_FIELDS: readonly VehicleField[] = ['status', 'operator_notes']

/** Text keys of the labels of a vehicle's fields. */
export const VEHICLE_FIELD_LABELS: Record<VehicleField, TextKey> = {
  status: 'vehicles.status', operator_notes: 'vehicle.operatorNotes', admin_notes: 'vehicle.adminNotes', vin_number: 'vehicles.vin', parking_space: 'vehicles.space',
}

/** Returns whether a field contains notes, which may be too long for a button. */
export const isNoteField = (field: VehicleField): boolean => field === 'operator_notes' || field === 'admin_notes'

/** The fields of a vehicle that a save changes, with the values before and after the change. */
export interface VehicleChange {
  /** Values that the person saw in the changed fields before the change. */
  base: Partial<VehicleFields>
  wanted: Partial<VehicleFields>
}

/** Returns the fields whose wanted value differs from the value that the person saw, with both values. */
export function diffVehicleFields(seen: VehicleFields, wanted: VehicleFields, fields: readonly VehicleField[] = VEHICLE_FIELDS): VehicleChange {
  const change: VehicleChange = { base: {}, wanted: {} }
  for (const field of fields) {
    if (seen[field] === wanted[field]) continue
    change.base[field] = seen[field]
    change.wanted[field] = wanted[field]
  }
  return change
}

export function pickVehicleFields(from: VehicleFields): VehicleFields {
  const { status, operator_notes, admin_notes, vin_number, parking_space } = from
  return { status, operator_notes, admin_notes, vin_number, parking_space }
}
