import type { InspectionActivity } from '@/api/types'
import { VEHICLE_STATUSES } from '@/lib/vehicleStatus'
import { formatCount } from '@/lib/time'
import { Icon } from '@/ui/Icon'
import { getVehicleStatusClass, getVehicleStatusIcon } from '@/ui/Status'
import { useCampaignsText } from './text'
import styles from './StatusStackedBar.module.css'

/** Number of vehicles with each status. */
export type StatusCounts = InspectionActivity['yards'][number]['statuses']

/** Order of the statuses in a bar, from good results to problems. */
const ORDER = ['ok', 'Repair OK', 'Repair', 'ng', 'Not Found', 'Gate Out', 'S/OFF BL'] as const
const countOf = (counts: StatusCounts, wanted: string) => counts.find(({ status }) => status === wanted)?.vehicles ?? 0

/** Returns the number of vehicles with a defect, repaired or not. */
export const countDefectiveVehicles = (counts: StatusCounts): number => countOf(counts, 'ng') + countOf(counts, 'Repair') + countOf(counts, 'Repair OK')

/** Returns whether at least one vehicle has the status. */
export const hasVehiclesWithStatus = (counts: StatusCounts, wanted: string): boolean => countOf(counts, wanted) > 0

interface StatusStackProps {
  label: string
  counts: StatusCounts
  done: number
  total: number
}

/**
 * Bar of a yard's vehicles with one segment for each status. Two more segments show inspected vehicles without a status and uninspected
 * vehicles.
 */
export function StatusStackedBar({ label, counts, done, total }: StatusStackProps) {
  const t = useCampaignsText()
  const known = ORDER.map((status) => ({ status, vehicles: countOf(counts, status) })).filter(({ vehicles }) => vehicles > 0)
  const rest = Math.max(0, done - known.reduce((sum, { vehicles }) => sum + vehicles, 0)) // inspected vehicles without a status
  const width = (vehicles: number) => `${(100 * vehicles) / Math.max(total, 1)}%`
  const words = [...known.map(({ status, vehicles }) => `${status} ${formatCount(vehicles)}`), t('stack.left', { n: formatCount(total - done) })]
  const sumBefore = (index: number) => known.slice(0, index).reduce((sum, { vehicles }) => sum + vehicles, 0)
  return (
    <svg className={styles.stack} width="100%" height="14" role="img" aria-label={`${label}: ${words.join(', ')}`}>
      {known.map(({ status, vehicles }, n) => (
        <rect key={status} x={width(sumBefore(n))} width={width(vehicles)} height="14" fill="currentColor" className={getVehicleStatusClass(status)} />
      ))}
      {rest > 0 && <rect x={width(done - rest)} width={width(rest)} height="14" className={styles.rest} />}
    </svg>
  )
}

/** Legend with the symbol and the name of each status that occurs in the bars. */
export function StatusLegend({ counts }: { counts: StatusCounts }) {
  const shown = VEHICLE_STATUSES.filter((status) => countOf(counts, status) > 0)
  return (
    <ul className={styles.legend}>
      {shown.map((status) => (
        <li key={status} className={getVehicleStatusClass(status)}>
          <Icon name={getVehicleStatusIcon(status)} size={14} />
          {status} <span>{formatCount(countOf(counts, status))}</span>
        </li>
      ))}
    </ul>
  )
}

/** Returns the number of vehicles with each status, summed over all yards. */
export const sumStatusCounts = (yards: { statuses: StatusCounts }[]): StatusCounts =>
  VEHICLE_STATUSES.map((status) => ({ status, vehicles: yards.reduce((sum, { statuses }) => sum + countOf(statuses, status), 0) }))
