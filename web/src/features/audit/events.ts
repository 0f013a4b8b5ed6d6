import type { AuditEvent } from '@/api/types'
import { isRecord } from '@/lib/stored'

export const KINDS = [
  'login', 'login-failed', 'lockout', 'logout', 'refused', 'page-view', 'user-changed', 'campaign-imported',
  'campaign-changed', 'campaign-deleted', 'vehicle-changed', 'bulk-changed', 'exported', 'service-step',
] as const

/** A field that an event changed, with its text before and after. */
export interface Change {
  field: string
  old: string
  new: string
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))
const valuesIn = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** Kinds whose values only say when the browser told of them. */
const ONLY_TOLD = ['page-view', 'login']

/** What an event changed, field by field; nothing for events that only tell that something happened. */
export function changesIn(event: AuditEvent): Change[] {
  if (ONLY_TOLD.includes(event.kind)) return []
  const [before, after] = [valuesIn(event.old), valuesIn(event.new)]
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields.map((field) => ({ field, old: textOf(before[field]), new: textOf(after[field]) })).filter((change) => change.old !== change.new)
}

/** The moment at which a day of UTC-3 begins, or null when the text is no day. */
export function beginOf(day: string, daysLater = 0): string | null {
  const begin = new Date(`${day}T00:00:00-03:00`)
  if (Number.isNaN(begin.getTime())) return null
  begin.setUTCDate(begin.getUTCDate() + daysLater)
  return begin.toISOString()
}
