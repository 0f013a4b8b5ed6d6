import type { AuditEvent } from '@/api/types'
import { buildPath } from '@/lib/route'

/** Kinds of audit subjects that have a translated name and a page. Subjects of other kinds are shown as the server sent them. */
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
