import type { AuditEvent } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { translateServerMessage } from '@/lib/translateServerMessage'
import { getAccessLevelTextKey } from '@/lib/roles'
import { Link } from '@/lib/route'
import { formatDate, formatTime } from '@/lib/format'
import table from '@/ui/Table.module.css'
import { AuditEventChanges } from './AuditEventChanges'
import { AUDIT_EVENT_KINDS } from './auditEvents'
import { getAuditSubjectPath, listDeletedSubjects, parseAuditSubject } from './auditSubjects'
import { useAuditText } from './text'
import styles from './AuditEventTable.module.css'

/** Maximum lengths, in characters, of the line with an event's field changes: the first applies in the table, the second on a card. */
const [MAX_TABLE_LINE_LENGTH, MAX_CARD_LINE_LENGTH] = [90, 44]

/** Audit events of one page, as a table on wide screens and as cards on phones. */
export function AuditEventTable({ events }: { events: AuditEvent[] }) {
  return useMediaQuery('(min-width: 900px)') ? <Wide events={events} /> : <Cards events={events} />
}

function Wide({ events }: { events: AuditEvent[] }) {
  const t = useAuditText()
  const deleted = listDeletedSubjects(events)
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
                <What event={event} deleted={deleted} />
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

function Cards({ events }: { events: AuditEvent[] }) {
  const deleted = listDeletedSubjects(events)
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
          <What event={event} deleted={deleted} />
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

interface WhatProps {
  event: AuditEvent
  deleted: Set<string>
}

/** Kind, subject and summary of an event. A summary that only repeats the kind, such as 'signed in', is left out. */
function What({ event: { kind, subject, summary }, deleted }: WhatProps) {
  const t = useAuditText()
  const known = AUDIT_EVENT_KINDS.find((name) => name === kind)
  const parsed = parseAuditSubject(subject)
  const path = parsed === null || deleted.has(subject) ? null : getAuditSubjectPath(parsed)
  const name = parsed === null ? subject : t(`subject.${parsed.kind}`, { id: parsed.id })
  const title = known === undefined ? kind : t(`kind.${known}`)
  const words = translateServerMessage(summary)
  return (
    <div className={styles.what}>
      <strong>{title}</strong>
      <p>
        {path === null ? name : <Link href={path} className={styles.subject}>{name}</Link>}
        {words.toLowerCase() !== title.toLowerCase() && `: ${words}`}
      </p>
    </div>
  )
}
