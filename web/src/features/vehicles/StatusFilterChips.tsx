import { VEHICLE_STATUSES } from '@/lib/vehicleStatus'
import { formatCount } from '@/lib/format'
import { useText } from '@/lib/text'
import { VehicleStatusBadge } from '@/ui/Status'
import { FILTER_INSPECTED_WITHOUT_STATUS, FILTER_NOT_INSPECTED } from './filterVehicleList'
import styles from './StatusFilterChips.module.css'

interface StatusChipsProps {
  counts: Map<string, number>
  total: number
  chosen: readonly string[]
  /** Receives the status whose chip was pressed; '' for all statuses. */
  onPress: (status: string) => void
}

/**
 * Filter chips, one per status in the list, with the number of vehicles. Vehicles with any of the pressed statuses are shown. Renders
 * nothing when there are no vehicles and no chip is pressed.
 */
export function StatusFilterChips({ counts, total, chosen, onPress }: StatusChipsProps) {
  const t = useText()
  const present = [FILTER_NOT_INSPECTED, FILTER_INSPECTED_WITHOUT_STATUS, ...VEHICLE_STATUSES].filter((status) => counts.has(status) || chosen.includes(status))
  if (total === 0 && chosen.length === 0) return null
  return (
    <div className={`${styles.chips} no-print`} role="group" aria-label={t('vehicles.statusFilter')}>
      <button type="button" className={styles.chip} aria-pressed={chosen.length === 0} onClick={() => onPress('')}>
        <span>{t('vehicles.all')}</span>
        <span>{formatCount(total)}</span>
      </button>
      {present.map((status) => (
        <button key={status} type="button" className={styles.chip} aria-pressed={chosen.includes(status)} onClick={() => onPress(status)}>
          <VehicleStatusBadge status={status === FILTER_INSPECTED_WITHOUT_STATUS || status === FILTER_NOT_INSPECTED ? '' : status} inspected={status !== FILTER_NOT_INSPECTED} />
          <span>{formatCount(counts.get(status) ?? 0)}</span>
        </button>
      ))}
    </div>
  )
}
