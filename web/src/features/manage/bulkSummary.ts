import type { BulkResult } from '@/api/types'
import type { ManageTextKey } from './text'

/** One part of the summary sentence of a bulk change, such as '2 not found'. */
export interface SummaryClause {
  key: ManageTextKey
  n: number
}

type Kind = 'insert' | 'remove' | 'move'
const MAIN: Record<Kind, ManageTextKey> = { insert: 'bulk.become', remove: 'bulk.cleared', move: 'bulk.move' }
const STAYING: Record<Kind, ManageTextKey> = { insert: 'bulk.alreadySet', remove: 'bulk.without', move: 'bulk.alreadyThere' }

const CLOSED = 'CAMPAIGN_CLOSED'
const AMBIGUOUS = 'AMBIGUOUS_VIN'
const REASONS: Record<string, ManageTextKey> = {
  [CLOSED]: 'reason.closed',
  [AMBIGUOUS]: 'reason.twoCars',
  SAME_STATUS: 'reason.hasStatus',
  NO_STATUS: 'reason.noStatus',
  SAME_SPACE: 'reason.standsThere',
}

/** Returns the text key for the code of a skip reason, or `null` when the code is unknown. */
export const getSkipReasonTextKey = (code: string): ManageTextKey | null => REASONS[code] ?? null

const isFor = (why: string) => ({ code }: { code: string }) => code === why
const isStaying = ({ code }: { code: string }) => code !== CLOSED && code !== AMBIGUOUS

/**
 * Returns whether the server skipped a vehicle because the vehicle already has the requested status or space. Vehicles of closed campaigns
 * and ambiguous VINs do not count.
 */
export const hasVehiclesAlreadyAsRequested = ({ skipped }: BulkResult): boolean => skipped.some(isStaying)

/** Splits the result of a bulk change into the clauses of its summary sentence. Clauses with a count of 0 are left out. */
export function listSummaryClauses(kind: Kind, { updated, skipped, not_found }: BulkResult): SummaryClause[] {
  const closed = skipped.filter(isFor(CLOSED)).length
  const unclear = skipped.filter(isFor(AMBIGUOUS)).length
  const left = skipped.filter(isStaying).length
  const missing = not_found.length
  const rest: SummaryClause[] = [
    { key: STAYING[kind], n: left },
    { key: 'bulk.inClosed', n: closed },
    { key: 'bulk.unclear', n: unclear },
    { key: 'bulk.notIn', n: missing },
  ]
  return [{ key: MAIN[kind], n: updated }, ...rest.filter(({ n }) => n > 0)]
}
