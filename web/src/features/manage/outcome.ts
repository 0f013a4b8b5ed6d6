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
const REASONS: Record<string, ManageKey> = {
  [CLOSED]: 'reason.closed',
  'it has this status already': 'reason.hasStatus',
  'it has no status': 'reason.noStatus',
  'it stands there already': 'reason.standsThere',
}

/** The words for a reason that the server gives; one we do not know is shown as it comes. */
export const reasonKey = (reason: string): ManageKey | null => REASONS[reason] ?? null

const isClosed = ({ reason }: { reason: string }) => reason === CLOSED

/** Whether vehicles were skipped for what they are themselves, as opposed to their campaign being closed. */
export const someStayed = ({ skipped }: BulkResult): boolean => skipped.some((one) => !isClosed(one))

/** What a bulk call does or did, clause by clause; clauses about nobody are left out. */
export function clausesOf(kind: Kind, { updated, skipped, not_found }: BulkResult): Clause[] {
  const closed = skipped.filter(isClosed).length
  const left = skipped.length - closed
  const missing = not_found.length
  const rest: Clause[] = [
    { key: STAYING[kind][left === 1 ? 0 : 1], n: left },
    { key: 'bulk.inClosed', n: closed },
    { key: missing === 1 ? 'bulk.notInOne' : 'bulk.notIn', n: missing },
  ]
  return [{ key: MAIN[kind][updated === 1 ? 0 : 1], n: updated }, ...rest.filter(({ n }) => n > 0)]
}
