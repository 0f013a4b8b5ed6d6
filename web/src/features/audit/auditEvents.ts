import type { AuditEvent } from '@/api/types'
import { isRecord } from '@/lib/json'

export const AUDIT_EVENT_KINDS = [
  'login', 'login-failed', 'lockout', 'logout', 'refused', 'page-view', 'user-changed', 'campaign-imported',
  'campaign-changed', 'campaign-deleted', 'vehicle-changed', 'bulk-changed', 'exported', 'service-step', 'retention',
] as const

/**
 * One field changed by an audit event. `old` and `new` are the values before and after the change as text; null when the event lacks the
 * value.
 */
export interface AuditFieldChange {
  field: string
  old: string | null
  new: string | null
  /** Whether `old` and `new` are the two competing values of a conflict on the field, instead of the values before and after a change. */
  inConflict?: boolean
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))
/** Suffix of the field name under which an audit event stores the two values of a conflict, as in `status in conflict`. */
const CONFLICT_SUFFIX = ' in conflict'

/**
 * Returns the two competing values of a save conflict if the field name ends with `CONFLICT_SUFFIX`. Otherwise returns `change` unchanged.
 */
function readConflict(change: AuditFieldChange, value: unknown): AuditFieldChange {
  if (!change.field.endsWith(CONFLICT_SUFFIX) || !isRecord(value)) return change
  return { field: change.field.slice(0, -CONFLICT_SUFFIX.length), old: textOf(value.theirs), new: textOf(value.mine), inConflict: true }
}

const valuesIn = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** Kinds of audit events without changed fields. Their values contain only the browser's clock time or the number of repeated events. */
const KINDS_WITHOUT_CHANGE = ['page-view', 'login', 'refused']

/** Position of a changed field in the list: the status first, then fields with both values. */
const rankOf = ({ field, old, new: after }: AuditFieldChange): number => (field === 'status' ? 0 : old !== null && after !== null ? 1 : 2)

/**
 * Lists the fields that an event changed, the status first, then fields with both values. Returns an empty list for an event without a
 * change, such as a sign-in.
 */
export function listFieldChanges(event: AuditEvent): AuditFieldChange[] {
  if (KINDS_WITHOUT_CHANGE.includes(event.kind)) return []
  const [before, after] = [valuesIn(event.old), valuesIn(event.new)]
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changes = fields.map((field) => {
    const change = { field, old: field in before ? textOf(before[field]) : null, new: field in after ? textOf(after[field]) : null }
    return readConflict(change, after[field])
  })
  return changes.filter((change) => (change.old ?? '') !== (change.new ?? '')).toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** Splits texts into those that together fit on one line of `maxLength` characters, and the others. Keeps the order. */
export function fitTextsOnLine<T extends { length: number }>(texts: T[], maxLength: number): [fitting: T[], others: T[]] {
  const [fitting, others]: [T[], T[]] = [[], []]
  let used = 0
  for (const text of texts) {
    const fits = used + text.length <= maxLength
    if (fits) used += text.length
    ;(fits ? fitting : others).push(text)
  }
  return [fitting, others]
}

/**
 * Returns the start (00:00 at UTC-3) of the day `daysLater` days after `day`, as an ISO timestamp. Returns `null` when `day` is not a
 * date.
 */
export function getDayStartIsoTimestamp(day: string, daysLater = 0): string | null {
  const begin = new Date(`${day}T00:00:00-03:00`)
  if (Number.isNaN(begin.getTime())) return null
  begin.setUTCDate(begin.getUTCDate() + daysLater)
  return begin.toISOString()
}
