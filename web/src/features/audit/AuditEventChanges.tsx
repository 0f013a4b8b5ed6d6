import type { AuditEvent } from '@/api/types'
import { VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import { getAccessLevelTextKey } from '@/lib/roles'
import type { TextKey } from '@/lib/text'
import { formatDate, formatTime } from '@/lib/format'
import { getCampaignStatusTextKey } from '@/ui/Status'
import { listFieldChanges, fitTextsOnLine, type AuditFieldChange } from './auditEvents'
import { useAuditText, type AuditTextKey } from './text'
import styles from './AuditEventChanges.module.css'

/** Text keys of the labels for the fields in an audit event's old and new values, by field name. */
const FIELDS: Record<string, TextKey | AuditTextKey> = {
  user_type: 'audit.level', hmc: 'audit.hmc', password: 'signIn.password', name: 'campaigns.campaign', part: 'campaign.part', model_type: 'campaign.modelType',
  description: 'campaign.description', due_at: 'audit.due', ...VEHICLE_FIELD_LABELS,
  inspected: 'audit.inspected', claimed_device: 'audit.device',
  claimed_device_time: 'audit.deviceTime', claimed_time_differs_by_hours: 'audit.clockDifference', vehicles: 'audit.vehicles', total_vehicles: 'audit.vehicles', total_inspected: 'audit.inspectedVehicles', file_name: 'audit.file',
  conflict: 'audit.conflict', chosen: 'audit.chosen',
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const isTimestamp = (value: string): boolean => TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value))

/** Text keys of the two values of a conflict, in the words of the conflicts page. */
const CONFLICT_CHOICES: Record<string, AuditTextKey> = { theirs: 'audit.firstValue', mine: 'audit.secondValue' }

/**
 * Returns the text key of an access level, a campaign status, the kept value of a conflict or a yes-no value. Returns null or undefined
 * for other values, which are shown untranslated.
 */
function getValueKey(field: string, value: string): TextKey | AuditTextKey | null | undefined {
  if (field === 'user_type') return getAccessLevelTextKey(value)
  if (field === 'status') return getCampaignStatusTextKey(value)
  if (field === 'chosen') return CONFLICT_CHOICES[value]
  return field === 'inspected' ? (value === 'true' ? 'audit.yes' : 'audit.no') : null
}

/** Texts that the page shows for one changed field of an audit event. */
interface ChangeTexts {
  id: string
  label: string
  old: string | null
  /** Whether the new value has replaced the old value. A replaced value is struck through. False for the two values of a conflict. */
  isReplaced: boolean
  /** Separator between the two values; empty when one value is missing. */
  sign: string
  new: string | null
  /** Number of characters that the label and both values take on the page. */
  length: number
}

function useDescribeChange() {
  const t = useAuditText()
  const describeValue = (field: string, value: string | null): string | null => {
    if (value === null) return null
    const key = getValueKey(field, value)
    if (key) return t(key)
    return isTimestamp(value) ? `${formatDate(value)} ${formatTime(value)}` : value || t('audit.empty')
  }
  return ({ field, inConflict = false, ...values }: AuditFieldChange): ChangeTexts => {
    const key = FIELDS[field]
    const name = key === undefined ? field : t(key)
    const label = inConflict ? t('audit.inConflict', { field: name }) : name
    const [before, after] = [describeValue(field, values.old), describeValue(field, values.new)]
    const sign = before === null || after === null ? '' : inConflict ? ' / ' : ' → '
    return { id: `${field} ${inConflict}`, label, old: before, isReplaced: !inConflict, sign, new: after, length: `${label} ${before ?? ''}${sign}${after ?? ''}`.length }
  }
}

/** Minimum number of changed fields at which the fields that do not fit on the first line are collapsed. */
const MIN_COLLAPSED_CHANGES = 4

/**
 * Changed values of an audit event: those that fit are shown on one line, the others below it. From `MIN_COLLAPSED_CHANGES` fields on, the
 * others are in a collapsed section.
 */
export function AuditEventChanges({ event, maxLength }: { event: AuditEvent; maxLength: number }) {
  const t = useAuditText()
  const describe = useDescribeChange()
  const changes = listFieldChanges(event).map(describe)
  const [short, others] = fitTextsOnLine(changes, maxLength)
  return (
    <>
      {short.length > 0 && <ChangeList changes={short} className={styles.line} />}
      {others.length > 0 && changes.length < MIN_COLLAPSED_CHANGES && <ChangeList changes={others} className={styles.list} />}
      {others.length > 0 && changes.length >= MIN_COLLAPSED_CHANGES && (
        <details className={styles.others}>
          <summary>{t(short.length > 0 ? 'audit.moreChanges' : 'audit.changes', { n: others.length })}</summary>
          <ChangeList changes={others} className={styles.list} />
        </details>
      )}
    </>
  )
}

function ChangeList({ changes, className }: { changes: ChangeTexts[]; className: string | undefined }) {
  const t = useAuditText()
  return (
    <ul className={`${styles.changes} ${className}`} aria-label={t('audit.change')}>
      {changes.map((change) => (
        <li key={change.id} data-replaced={(change.isReplaced && change.sign !== '') || undefined}>
          <span className="quiet">{change.label}</span> {change.old !== null && (change.isReplaced ? <del>{change.old}</del> : <ins>{change.old}</ins>)}
          {change.sign}
          {change.new !== null && <ins>{change.new}</ins>}
        </li>
      ))}
    </ul>
  )
}
