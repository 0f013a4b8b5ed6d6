import type { Ref } from 'react'
import { useSession } from '@/api/session'
import type { VehicleHistoryEntry } from '@/api/types'
import { VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import { mayManageCampaigns } from '@/lib/roles'
import { Link } from '@/lib/route'
import { formatDate, formatTime } from '@/lib/format'
import type { IconName } from '@/ui/Icon'
import { VehicleStatusBadge } from '@/ui/Status'
import { ValueChange, TimelineField, TimelineItem } from '@/ui/Timeline'
import { useTimelineText } from '@/ui/TimelineText'
import { useVehicleHistoryText } from './text'
import styles from './TimelineEntry.module.css'

type FieldChange = VehicleHistoryEntry['fields'][number]

const ICONS: Record<Exclude<VehicleHistoryEntry['kind'], 'save'>, IconName> = { conflict: 'check', bulk_status: 'list', bulk_space: 'list', bulk_file: 'sheet', import: 'upload' }
/**
 * Tolerated difference in milliseconds between the server time and the device time of a change. If the difference is larger, the device
 * time is also shown.
 */
const CLOCK_TOLERANCE_MS = 2 * 60_000
/** URL of the page that lists the bulk changes and imports. */
const JOBS = '/campaign-list?tool=history'

/** One change of a vehicle: the changed fields, and who changed them, when and how. */
export function TimelineEntry({ ref, event }: { ref?: Ref<HTMLLIElement> | undefined; event: VehicleHistoryEntry }) {
  const [t, shared] = [useVehicleHistoryText(), useTimelineText()]
  const { at, by_hmc, device_time, fields } = event
  const title = useTitle(event)
  return (
    <TimelineItem
      ref={ref}
      icon={iconOf(event)}
      title={title}
      by={by_hmc ?? shared('history.automatic')}
      at={at}
      way={<Way event={event} />}
      below={isFarFrom(at, device_time) ? t('history.deviceTime', { date: formatDate(device_time), time: formatTime(device_time) }) : undefined}
    >
      {fields.map((change) => (
        <Change key={change.field} change={change} kind={event.kind} />
      ))}
    </TimelineItem>
  )
}

function iconOf({ kind, origin, fields }: VehicleHistoryEntry): IconName {
  if (kind !== 'save') return ICONS[kind]
  if (fields.some(({ in_conflict }) => in_conflict)) return 'warning'
  return origin === 'scanned' ? 'scan' : origin === 'typed' ? 'keyboard' : 'pencil'
}

const isFarFrom = (at: string, deviceTime: string | null | undefined): deviceTime is string =>
  typeof deviceTime === 'string' && Math.abs(Date.parse(at) - Date.parse(deviceTime)) > CLOCK_TOLERANCE_MS

/** Returns the title of an import, a conflict, or a save without changed fields. Returns `null` when the changed fields need no title. */
function useTitle({ kind, file, fields }: VehicleHistoryEntry): string | null {
  const t = useVehicleHistoryText()
  if (kind === 'import') return file === '' ? t('history.imported') : t('history.importedFrom', { file })
  if (kind === 'conflict') return t(fields.length === 0 ? 'history.unchanged' : 'history.resolved')
  if (fields.some(({ in_conflict }) => in_conflict)) return t('history.conflict')
  return fields.length === 0 ? t('history.inspected') : null
}

/**
 * Text that states how a change was made: by a scan, by typing, without either, or in bulk. A bulk change links to the list of bulk changes if
 * the person may open that list.
 */
function Way({ event: { kind, origin, file } }: { event: VehicleHistoryEntry }) {
  const manages = mayManageCampaigns(useSession()?.user.user_type ?? '')
  const [t, shared] = [useVehicleHistoryText(), useTimelineText()]
  if (kind === 'save') return <span>{t(origin === 'scanned' ? 'history.scanned' : origin === 'typed' ? 'history.typed' : 'history.withoutScan')}</span>
  if (kind === 'conflict') return null
  const words = kind === 'import' ? null : kind !== 'bulk_file' ? shared('history.bulk') : file === '' ? t('history.csvPlain') : t('history.csv', { file })
  if (words === null) return null
  return manages ? (
    <Link href={JOBS} className={styles.job}>
      {words}
    </Link>
  ) : <span>{words}</span>
}

function Change({ change: { field, old, new: value, in_conflict }, kind }: { change: FieldChange; kind: VehicleHistoryEntry['kind'] }) {
  const t = useVehicleHistoryText()
  const [before, after] = [<Value key="old" field={field} value={old} />, <Value key="new" field={field} value={value} inspected={kind === 'save' || in_conflict} />]
  return (
    <TimelineField name={t(VEHICLE_FIELD_LABELS[field])}>
      {in_conflict ? (
        <ul className={styles.sides}>
          <li>
            {before} <span className={styles.side}>{t('history.stored')}</span>
          </li>
          <li>
            {after} <span className={styles.side}>{t('history.entered')}</span>
          </li>
        </ul>
      ) : <ValueChange old={before} value={after} />}
    </TimelineField>
  )
}

/** Value of a vehicle field. An empty status is shown as 'No status' if `inspected`, otherwise as 'Not inspected'. */
function Value({ field, value, inspected = false }: { field: FieldChange['field']; value: string; inspected?: boolean }) {
  const t = useTimelineText()
  if (field === 'status') return <VehicleStatusBadge status={value} inspected={inspected} />
  if (value === '') return <em className={styles.empty}>{t('history.empty')}</em>
  if (field === 'parking_space') return <strong className={styles.space}>{value}</strong>
  return <span className={field === 'vin_number' ? 'mono' : styles.text}>{value}</span>
}
