import { isRecord, readStored, writeStored } from './stored'

/** What a person has entered on a vehicle and not yet saved. */
export interface Draft {
  identifier: string
  status: string
  operator_notes: string
  admin_notes: string
  vin_number: string
  parking_space: string
  /** The version of the vehicle that the entry started from. */
  version: number
  /** Whether the identifier came from a scanner; drafts of before that was known were typed. */
  scanned?: boolean
}

const nameOf = (user: string, vehicle: number) => `draft:${user}:${vehicle}`

const TEXTS = ['identifier', 'status', 'operator_notes', 'admin_notes', 'vin_number', 'parking_space']
const isDraft = (value: unknown): value is Draft =>
  isRecord(value) && typeof value.version === 'number' && TEXTS.every((name) => typeof value[name] === 'string')

export const readDraft = (user: string, vehicle: number): Draft | null =>
  readStored(localStorage, nameOf(user, vehicle), isDraft)

export const writeDraft = (user: string, vehicle: number, draft: Draft | null): void =>
  writeStored(localStorage, nameOf(user, vehicle), draft)
