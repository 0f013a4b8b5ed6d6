import type { AuditEvent } from '@/api/types'
import { useMediaQuery } from '@/lib/media'
import { roleKey } from '@/lib/roles'
import { dateOf, timeOf } from '@/lib/time'
import table from '@/ui/Table.module.css'
import { changesIn, KINDS } from './events'
import { useAuditText } from './text'
import styles from './LogsAuditPage.module.css'

/** The events of one page: a table where there is room, cards on the phone. */
export function EventTable({ events }: { events: AuditEvent[] }) {
  return useMediaQuery('(min-width: 900px)') ? <Wide events={events} /> : <Cards events={events} />
}

function Wide({ events }: { events: AuditEvent[] }) {
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
                <What event={event} />
                <Changes event={event} />
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
          <What event={event} />
          <Changes event={event} />
          {event.ip && <span className="quiet mono">{event.ip}</span>}
        </li>
      ))}
    </ul>
  )
}

function When({ event: { at } }: { event: AuditEvent }) {
  return (
    <time dateTime={at}>
      {dateOf(at)} {timeOf(at)}
    </time>
  )
}

function Who({ event: { hmc, user_type } }: { event: AuditEvent }) {
  const t = useAuditText()
  const role = roleKey(user_type ?? '')
  return (
    <span className={styles.who}>
      <strong>{hmc ?? t('audit.nobody')}</strong>
      {user_type && <span className="quiet">{role === null ? user_type : t(role)}</span>}
    </span>
  )
}

function What({ event: { kind, subject, summary } }: { event: AuditEvent }) {
  const t = useAuditText()
  const known = KINDS.find((name) => name === kind)
  return (
    <span className={styles.what}>
      <strong>{known === undefined ? kind : t(`kind.${known}`)}</strong>
      <span>
        {subject}: {summary}
      </span>
    </span>
  )
}

function Changes({ event }: { event: AuditEvent }) {
  const t = useAuditText()
  const changes = changesIn(event)
  if (changes.length === 0) return null
  return (
    <ul className={styles.changes} aria-label={t('audit.change')}>
      {changes.map((change) => (
        <li key={change.field}>
          <span className="quiet">{change.field}</span> <del>{change.old || t('audit.empty')}</del> → <ins>{change.new || t('audit.empty')}</ins>
        </li>
      ))}
    </ul>
  )
}
