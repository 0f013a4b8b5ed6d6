import type { AuditEvent } from '@/api/types'
import { isRecord } from '@/lib/json'

export const EVENT_KINDS = [
  'login', 'login-failed', 'lockout', 'logout', 'refused', 'page-view', 'user-changed', 'campaign-imported',
  'campaign-changed', 'campaign-deleted', 'vehicle-changed', 'bulk-changed', 'exported', 'service-step', 'retention',
] as const

/** One field changed by an audit event, with its value before and after as text. */
export interface FieldChange {
  field: string
  old: string
  new: string
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))
const valuesIn = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** Kinds of audit events that record no change; their values contain only the clock time of the browser. */
const KINDS_WITHOUT_CHANGE = ['page-view', 'login']

/** Lists the fields that an event changed. Returns an empty list for an event without a change, such as a sign-in. */
export function listFieldChanges(event: AuditEvent): FieldChange[] {
  if (KINDS_WITHOUT_CHANGE.includes(event.kind)) return []
  const [before, after] = [valuesIn(event.old), valuesIn(event.new)]
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields.map((field) => ({ field, old: textOf(before[field]), new: textOf(after[field]) })).filter((change) => change.old !== change.new)
}

/**
 * Returns the start (00:00 at UTC-3) of the day `daysLater` days after `day`, as an ISO timestamp. Returns `null` when `day` is not a
 * date.
 */
export function toDayStartIso(day: string, daysLater = 0): string | null {
  const begin = new Date(`${day}T00:00:00-03:00`)
  if (Number.isNaN(begin.getTime())) return null
  begin.setUTCDate(begin.getUTCDate() + daysLater)
  return begin.toISOString()
}
