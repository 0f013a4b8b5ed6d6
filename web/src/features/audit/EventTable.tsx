import type { AuditEvent } from '@/api/types'
import { useMediaQuery } from '@/lib/media'
import { translateSentence } from '@/lib/translateSentence'
import { getAccessLevelKey } from '@/lib/roles'
import type { TextKey } from '@/lib/text'
import { formatDate, formatTime } from '@/lib/time'
import { getCampaignStatusKey } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import { listFieldChanges, EVENT_KINDS } from './events'
import { useAuditText, type AuditTextKey } from './text'
import styles from './EventTable.module.css'

/** Audit events of one page, as a table on wide screens and as cards on phones. */
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
      {formatDate(at)} {formatTime(at)}
    </time>
  )
}

function Who({ event: { hmc, user_type } }: { event: AuditEvent }) {
  const t = useAuditText()
  const role = getAccessLevelKey(user_type ?? '')
  return (
    <span className={styles.who}>
      <strong>{hmc ?? t('audit.nobody')}</strong>
      {user_type && <span className="quiet">{role === null ? user_type : t(role)}</span>}
    </span>
  )
}

/**
 * Kinds of audit subjects that have a translated name. A subject consists of a kind and an id; subjects of other kinds are shown as the
 * server sent them.
 */
const SUBJECT_KINDS = ['user', 'vehicle', 'campaign'] as const
const SUBJECT = /^([a-z]+) (\d+)$/

function What({ event: { kind, subject, summary } }: { event: AuditEvent }) {
  const t = useAuditText()
  const known = EVENT_KINDS.find((name) => name === kind)
  const [, word, id = ''] = SUBJECT.exec(subject) ?? []
  const subjectKind = SUBJECT_KINDS.find((name) => name === word)
  return (
    <span className={styles.what}>
      <strong>{known === undefined ? kind : t(`kind.${known}`)}</strong>
      <span>
        {subjectKind === undefined ? subject : t(`subject.${subjectKind}`, { id })}: {translateSentence(summary)}
      </span>
    </span>
  )
}

/** Labels of the fields in an audit event's old and new values, the same labels as on other screens. */
const FIELDS: Record<string, TextKey | AuditTextKey> = {
  user_type: 'audit.level', hmc: 'audit.hmc', password: 'signIn.password', name: 'campaigns.campaign', part: 'campaign.part', model_type: 'campaign.modelType',
  status: 'vehicles.status', vin_number: 'vehicles.vin', parking_space: 'vehicles.space', operator_notes: 'vehicle.operatorNotes', admin_notes: 'vehicle.adminNotes',
  vehicles: 'audit.vehicles', total_vehicles: 'audit.vehicles', file_name: 'audit.file',
}

/**
 * Returns the text key of an access level or a campaign status. Returns null or undefined for other values, which are shown
 * untranslated.
 */
const valueKey = (field: string, value: string) => (field === 'user_type' ? getAccessLevelKey(value) : field === 'status' ? getCampaignStatusKey(value) : null)

function Changes({ event }: { event: AuditEvent }) {
  const t = useAuditText()
  const fieldName = (field: string) => (FIELDS[field] === undefined ? field : t(FIELDS[field]))
  const shown = (field: string, value: string) => {
    const key = valueKey(field, value)
    return key ? t(key) : value || t('audit.empty')
  }
  const changes = listFieldChanges(event)
  if (changes.length === 0) return null
  return (
    <ul className={styles.changes} aria-label={t('audit.change')}>
      {changes.map((change) => (
        <li key={change.field}>
          <span className="quiet">{fieldName(change.field)}</span> <del>{shown(change.field, change.old)}</del> → <ins>{shown(change.field, change.new)}</ins>
        </li>
      ))}
    </ul>
  )
}
