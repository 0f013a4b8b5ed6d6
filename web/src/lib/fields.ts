/** What a save may change of a vehicle. */
export const FIELDS = ['status', 'operator_notes', 'admin_notes', 'vin_number', 'parking_space'] as const
export type Field = (typeof FIELDS)[number]
export type Fields = Record<Field, string>

/** What everybody may change; the other fields only a supervisor. */
export const FREE: readonly Field[] = ['status', 'operator_notes']

export interface Change {
  /** The values that were seen of the fields that change. */
  base: Partial<Fields>
  wanted: Partial<Fields>
}

/** What differs between what was seen and what is wanted. */
export function changeOf(seen: Fields, wanted: Fields, fields: readonly Field[] = FIELDS): Change {
  const change: Change = { base: {}, wanted: {} }
  for (const field of fields) {
    if (seen[field] === wanted[field]) continue
    change.base[field] = seen[field]
    change.wanted[field] = wanted[field]
  }
  return change
}

export function fieldsOf(from: Fields): Fields {
  const { status, operator_notes, admin_notes, vin_number, parking_space } = from
  return { status, operator_notes, admin_notes, vin_number, parking_space }
}
