import { STATUSES } from '@/lib/status'
import { useText } from '@/lib/text'
import { count } from '@/lib/time'
import { VehicleStatusBadge } from '@/ui/Status'
import { NONE, WAITING } from './list'
import styles from './VehicleListPage.module.css'

interface StatusChipsProps {
  counts: Map<string, number>
  total: number
  value: string
  onChange: (value: string) => void
}

/** The statuses that occur, each with its count; a tap shows only those. */
export function StatusChips({ counts, total, value, onChange }: StatusChipsProps) {
  const t = useText()
  const present = [WAITING, NONE, ...STATUSES].filter((status) => counts.has(status) || status === value)
  return (
    <div className={styles.chips} role="group" aria-label={t('vehicles.statusFilter')}>
      <button type="button" className={styles.chip} aria-pressed={value === ''} onClick={() => onChange('')}>
        <span>{t('vehicles.all')}</span>
        <span>{count(total)}</span>
      </button>
      {present.map((status) => (
        <button key={status} type="button" className={styles.chip} aria-pressed={value === status} onClick={() => onChange(value === status ? '' : status)}>
          <VehicleStatusBadge status={status === NONE || status === WAITING ? '' : status} inspected={status !== WAITING} />
          <span>{count(counts.get(status) ?? 0)}</span>
        </button>
      ))}
    </div>
  )
}
