import { FIELDS, fieldsOf, type Fields } from './fields'
import { isRecord, readStored, writeStored } from './stored'

/** What a person has entered on a vehicle and not yet saved. */
export interface Draft extends Fields {
  identifier: string
  /** The version of the vehicle that the entry started from. */
  version: number
  /** Whether the identifier came from a scanner; drafts of before that was known were typed. */
  scanned?: boolean
  /** What was seen of the vehicle when the entry started; drafts of before that was kept have none. */
  base?: Fields
  /** The kept save that this one takes the place of. */
  replaces?: number
}

const nameOf = (user: string, vehicle: number) => `draft:${user}:${vehicle}`

const hasFields = (value: unknown): boolean => isRecord(value) && FIELDS.every((name) => typeof value[name] === 'string')
const isDraft = (value: unknown): value is Draft =>
  isRecord(value) && typeof value.version === 'number' && typeof value.identifier === 'string' && hasFields(value) && (value.base === undefined || hasFields(value.base))

/** An entry that says nothing yet. */
export const freshDraft = (vehicle: Fields & { version: number }): Draft => ({ identifier: '', ...fieldsOf(vehicle), version: vehicle.version, base: fieldsOf(vehicle) })

/** An entry on the vehicle as it is now: what one did not change oneself is shown as it is stored. */
export function rebased(draft: Draft, vehicle: Fields): Draft {
  const { base } = draft
  if (base === undefined) return draft
  const now = { ...draft, base: { ...base } }
  for (const field of FIELDS) if (draft[field] === base[field]) now[field] = now.base[field] = vehicle[field]
  return now
}

/** One's own changes put onto what somebody else has saved meanwhile. */
export function merged(draft: Draft, current: Fields & { version: number }): Draft {
  const onto = { ...freshDraft(current), identifier: draft.identifier, scanned: draft.scanned }
  for (const field of FIELDS) if (draft.base === undefined || draft[field] !== draft.base[field]) onto[field] = draft[field]
  return onto
}

export const readDraft = (user: string, vehicle: number): Draft | null =>
  readStored(localStorage, nameOf(user, vehicle), isDraft)

export const writeDraft = (user: string, vehicle: number, draft: Draft | null): void =>
  writeStored(localStorage, nameOf(user, vehicle), draft)
