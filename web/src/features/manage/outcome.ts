import type { BulkResult } from '@/api/types'
import type { ManageKey } from './text'

/** A part of the sentence that says what will happen. */
export interface Clause {
  key: ManageKey
  n: number
}

type Kind = 'insert' | 'remove' | 'move'
const MAIN: Record<Kind, [one: ManageKey, many: ManageKey]> = {
  insert: ['bulk.becomeOne', 'bulk.become'],
  remove: ['bulk.clearedOne', 'bulk.cleared'],
  move: ['bulk.moveOne', 'bulk.move'],
}
const STAYING: Record<Kind, [one: ManageKey, many: ManageKey]> = {
  insert: ['bulk.alreadyIs', 'bulk.alreadyAre'],
  remove: ['bulk.without', 'bulk.without'],
  move: ['bulk.alreadyThere', 'bulk.alreadyThere'],
}

const CLOSED = 'its campaign is closed'
const TWO_CARS = 'its code fits two different cars; write it with the blank between model code and serial number'
const REASONS: Record<string, ManageKey> = {
  [CLOSED]: 'reason.closed',
  [TWO_CARS]: 'reason.twoCars',
  'it has this status already': 'reason.hasStatus',
  'it has no status': 'reason.noStatus',
  'it stands there already': 'reason.standsThere',
}

/** The words for a reason that the server gives; one we do not know is shown as it comes. */
export const reasonKey = (reason: string): ManageKey | null => REASONS[reason] ?? null

const isFor = (why: string) => ({ reason }: { reason: string }) => reason === why
const isStaying = ({ reason }: { reason: string }) => reason !== CLOSED && reason !== TWO_CARS

/** Whether vehicles were skipped for what they are themselves: their campaign is open, and it is clear which car is meant. */
export const someStayed = ({ skipped }: BulkResult): boolean => skipped.some(isStaying)

/** What a bulk call does or did, clause by clause; clauses about nobody are left out. */
export function clausesOf(kind: Kind, { updated, skipped, not_found }: BulkResult): Clause[] {
  const closed = skipped.filter(isFor(CLOSED)).length
  const unclear = skipped.filter(isFor(TWO_CARS)).length
  const left = skipped.filter(isStaying).length
  const missing = not_found.length
  const rest: Clause[] = [
    { key: STAYING[kind][left === 1 ? 0 : 1], n: left },
    { key: 'bulk.inClosed', n: closed },
    { key: 'bulk.unclear', n: unclear },
    { key: missing === 1 ? 'bulk.notInOne' : 'bulk.notIn', n: missing },
  ]
  return [{ key: MAIN[kind][updated === 1 ? 0 : 1], n: updated }, ...rest.filter(({ n }) => n > 0)]
}
