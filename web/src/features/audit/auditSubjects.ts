import type { AuditEvent } from '@/api/types'
import { isRecord } from '@/lib/json'
import { buildPath } from '@/lib/route'
import type { AuditTextKey } from './text'

/** Kinds of audit subjects that have a page. */
const SUBJECT_KINDS = ['user', 'vehicle', 'campaign'] as const
const SUBJECT = /^([a-z]+) (\d+)$/

/** Id of the reserved developer account, which the user list does not contain. */
const DEVELOPER_ID = '1'

/** Subject of an audit event: a user, vehicle or campaign. */
export interface AuditSubject {
  kind: (typeof SUBJECT_KINDS)[number]
  id: string
}

/** Parses the subject of an audit event, such as `vehicle 12`. Returns null for subjects of other kinds. */
export function parseAuditSubject(subject: string): AuditSubject | null {
  const [, word, id = ''] = SUBJECT.exec(subject) ?? []
  const kind = SUBJECT_KINDS.find((name) => name === word)
  return kind === undefined ? null : { kind, id }
}

/** Returns the path of the page that shows a subject. Returns null for the developer account, which has no page. */
export function getAuditSubjectPath({ kind, id }: AuditSubject): string | null {
  if (kind !== 'user') return `/${kind}/${id}`
  return id === DEVELOPER_ID ? null : buildPath('/user-management', { user: id })
}

const isDeletion = ({ kind, summary }: AuditEvent) => kind === 'campaign-deleted' || (kind === 'user-changed' && summary === 'deleted the user')

/**
 * Returns the subjects, such as `user 12`, that are deleted according to the listed events. Omits subjects that were deleted by an event
 * outside the list or together with their campaign; the pages of such subjects report that the subject does not exist.
 */
export const listDeletedSubjects = (events: AuditEvent[]): Set<string> => new Set(events.filter(isDeletion).map(({ subject }) => subject))

/** Patterns of subjects without a page, with the text key of their name. The group is the placeholder `id` of the text. */
const OTHER_SUBJECTS: [pattern: RegExp, key: AuditTextKey][] = [
  [/^all campaigns$/, 'subject.allCampaigns'],
  [/^all keys$/, 'subject.allKeys'],
  [/^audit log$/, 'subject.auditLog'],
  [/^access entries$/, 'subject.accessEntries'],
  [/^job (\d+)$/, 'subject.job'],
  [/^unknown hmc (.*)$/, 'subject.unknownHmc'],
]

/** Returns the text key and the placeholder of the name of a subject without a page; null for a subject that the web does not know. */
export function describeOtherSubject(subject: string): { key: AuditTextKey; id: string } | null {
  const known = OTHER_SUBJECTS.find(([pattern]) => pattern.test(subject))
  return known === undefined ? null : { key: known[1], id: known[0].exec(subject)?.[1] ?? '' }
}

/** Returns the login name (HMC) that an event recorded for its subject, which is a user; null when the event recorded none. */
export function readRecordedHmc({ old, new: after }: AuditEvent): string | null {
  const recorded: unknown[] = [after, old].map((values) => (isRecord(values) ? values.hmc : undefined))
  return recorded.find((hmc) => typeof hmc === 'string') ?? null
}
