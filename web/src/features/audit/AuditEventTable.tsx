import type { AuditEvent } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { translateServerMessage } from '@/lib/translateServerMessage'
import { getAccessLevelTextKey } from '@/lib/roles'
import { Link } from '@/lib/route'
import { formatDate, formatTime } from '@/lib/format'
import table from '@/ui/Table.module.css'
import { AuditEventChanges } from './AuditEventChanges'
import { useAuditNames, type AuditNames } from './api'
import { AUDIT_EVENT_KINDS } from './auditEvents'
import { findSummaryLinks, splitAtLinks } from './auditSummary'
import { describeOtherSubject, getAuditSubjectPath, listDeletedSubjects, parseAuditSubject } from './auditSubjects'
import { useAuditText } from './text'
import styles from './AuditEventTable.module.css'

/** Maximum lengths, in characters, of the line with an event's field changes: the first applies in the table, the second on a card. */
const [MAX_TABLE_LINE_LENGTH, MAX_CARD_LINE_LENGTH] = [90, 44]

interface RowsProps {
  events: AuditEvent[]
  /** Subjects, such as `user 12`, that are deleted and have no page. */
  deleted: Set<string>
  names: AuditNames
}

/** Audit events of one page, as a table on wide screens and as cards on phones. */
export function AuditEventTable({ events }: { events: AuditEvent[] }) {
  const Rows = useMediaQuery('(min-width: 900px)') ? Wide : Cards
  return <Rows events={events} deleted={listDeletedSubjects(events)} names={useAuditNames(events)} />
}

function Wide({ events, ...rest }: RowsProps) {
  const t = useAuditText()
  return (
    <div className={table.frame}>
      <table className={`${table.table} ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('audit.when')}</th>
            <th scope="col">{t('audit.who')}</th>
            <th scope="col">{t('audit.what')}</th>
            <th scope="col">{t('audit.address')}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <td className={styles.when}>
                <When event={event} />
              </td>
              <td>
                <Who event={event} />
              </td>
              <td>
                <What event={event} {...rest} />
                <AuditEventChanges event={event} maxLength={MAX_TABLE_LINE_LENGTH} />
              </td>
              <td className="mono">{event.ip}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards({ events, ...rest }: RowsProps) {
  return (
    <ul className={styles.cards}>
      {events.map((event) => (
        <li key={event.id} className={styles.card}>
          <div className={styles.top}>
            <Who event={event} />
            <span className="quiet">
              <When event={event} />
            </span>
          </div>
          <What event={event} {...rest} />
          <AuditEventChanges event={event} maxLength={MAX_CARD_LINE_LENGTH} />
          {event.ip && <span className="quiet mono">{event.ip}</span>}
        </li>
      ))}
    </ul>
  )
}

function When({ event: { at } }: { event: AuditEvent }) {
  return (
    <time dateTime={at}>
      {formatDate(at)} {formatTime(at)}
    </time>
  )
}

function Who({ event: { hmc, user_type } }: { event: AuditEvent }) {
  const t = useAuditText()
  const role = getAccessLevelTextKey(user_type ?? '')
  return (
    <span className={styles.who}>
      <strong>{hmc ?? t('audit.nobody')}</strong>
      {user_type && (hmc !== null || role !== null) && <span className="quiet">{role === null ? user_type : t(role)}</span>}
    </span>
  )
}

/**
 * Kind, subject and summary of an event. A summary that only repeats the kind, such as 'signed in', is left out. A subject that the summary
 * names, such as a VIN, is left out, and its name in the summary is the link.
 */
function What({ event, deleted, names }: { event: AuditEvent } & Omit<RowsProps, 'events'>) {
  const t = useAuditText()
  const { kind, subject, summary } = event
  const known = AUDIT_EVENT_KINDS.find((name) => name === kind)
  const title = known === undefined ? kind : t(`kind.${known}`)
  const words = translateServerMessage(summary)
  const parts = splitAtLinks(words, deleted.has(subject) ? [] : findSummaryLinks(event, names.campaigns))
  const isNamed = parts.some((part) => typeof part !== 'string')
  // The default language has English titles and Portuguese sentences.
  const isRepeated = [words, summary].some((text) => text.toLowerCase() === title.toLowerCase())
  return (
    <div className={styles.what}>
      <strong>{title}</strong>
      <p>
        {!isNamed && <Subject subject={subject} isDeleted={deleted.has(subject)} names={names} />}
        {!isNamed && !isRepeated && ': '}
        {!isRepeated && parts.map((part) => (typeof part === 'string' ? part : <Link key={part.path} href={part.path} className={styles.subject}>{part.name}</Link>))}
      </p>
    </div>
  )
}

/** Name of a subject, as a link to its page. Users are named by their login name (HMC), all others by their number. */
function Subject({ subject, isDeleted, names }: { subject: string; isDeleted: boolean; names: AuditNames }) {
  const t = useAuditText()
  const parsed = parseAuditSubject(subject)
  const other = describeOtherSubject(subject)
  if (parsed === null) return other === null ? subject : t(other.key, { id: other.id })
  const hmc = parsed.kind === 'user' ? names.hmcOf(parsed.id) : undefined
  const name = hmc === undefined ? t(`subject.${parsed.kind}`, { id: parsed.id }) : t('subject.hmc', { id: hmc })
  const path = isDeleted ? null : getAuditSubjectPath(parsed)
  return path === null ? name : <Link href={path} className={styles.subject}>{name}</Link>
}
