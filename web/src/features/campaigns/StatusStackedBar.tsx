import { useId } from 'react'
import type { InspectionActivity } from '@/api/types'
import { VEHICLE_STATUSES } from '@/lib/vehicleStatus'
import { formatCount } from '@/lib/format'
import { Icon } from '@/ui/Icon'
import { getVehicleStatusClass, getVehicleStatusIcon } from '@/ui/Status'
import { useCampaignsText } from './text'
import styles from './StatusStackedBar.module.css'

/** Number of vehicles with each status. */
export type StatusCounts = InspectionActivity['yards'][number]['statuses']

/** Order of the statuses in a bar, from good results to problems. */
const ORDER = ['ok', 'Repair OK', 'Repair', 'ng', 'Not Found', 'Gate Out', 'S/OFF BL'] as const
/**
 * Hatch of each status: SVG path of the lines, and angle of the hatch in degrees. The bars are hatched only in print and in the sunlight
 * appearance, where colours are hard to tell apart. `ok` and `ng` have no hatch; in print, `ok` is paler.
 */
const HATCHES: Partial<Record<string, [lines: string, angle: number]>> = {
  Repair: ['M0 0V5', 22], 'Repair OK': ['M0 0V5', 90], 'Not Found': ['M0 0V5', 135], 'Gate Out': ['M0 0V5', 0], 'S/OFF BL': ['M0 0V5M0 0H5', 45],
}
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
 * Bar of a yard's vehicles with one segment for each status. Another segment shows the inspected vehicles without a status. The rest of the
 * bar stands for the uninspected vehicles.
 */
export function StatusStackedBar({ label, counts, done, total }: StatusStackProps) {
  const t = useCampaignsText()
  const id = useId()
  const known = ORDER.map((status) => ({ status, vehicles: countOf(counts, status) })).filter(({ vehicles }) => vehicles > 0)
  const rest = Math.max(0, done - known.reduce((sum, { vehicles }) => sum + vehicles, 0)) // inspected vehicles without a status
  const width = (vehicles: number) => `${(100 * vehicles) / Math.max(total, 1)}%`
  const words = [...known.map(({ status, vehicles }) => `${status} ${formatCount(vehicles)}`), t('stack.left', { n: formatCount(total - done) })]
  const sumBefore = (index: number) => known.slice(0, index).reduce((sum, { vehicles }) => sum + vehicles, 0)
  return (
    <svg className={styles.stack} width="100%" height="14" role="img" aria-label={`${label}: ${words.join(', ')}`}>
      {known.map(({ status, vehicles }, n) => (
        <rect key={status} x={width(sumBefore(n))} width={width(vehicles)} height="14" fill="currentColor" className={`${getVehicleStatusClass(status)} ${status === 'ok' ? styles.ok : ''}`} />
      ))}
      {known.map(({ status, vehicles }, n) => <Hatch key={status} id={`${id}${n}`} status={status} x={width(sumBefore(n))} width={width(vehicles)} />)}
      {rest > 0 && <rect x={width(done - rest)} width={width(rest)} height="14" className={styles.rest} />}
    </svg>
  )
}

/** Hatch over the segment of a status. Renders nothing for a status without a hatch. */
function Hatch({ id, status, x, width }: { id: string; status: string; x: string; width: string }) {
  const [lines, angle] = HATCHES[status] ?? []
  if (lines === undefined) return null
  return (
    <g className={styles.hatch}>
      <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform={`rotate(${angle})`}>
        <path d={lines} />
      </pattern>
      <rect x={x} width={width} height="14" fill={`url(#${id})`} data-hatch={status} />
    </g>
  )
}

/** Sample of a status's bar segment in the legend. Visible only in print and in the sunlight appearance, where the bars are hatched. */
function Swatch({ status }: { status: string }) {
  return (
    <svg className={styles.swatch} width="18" height="14" aria-hidden="true" focusable="false">
      <rect width="18" height="14" fill="currentColor" className={`${getVehicleStatusClass(status)} ${status === 'ok' ? styles.ok : ''}`} />
      <Hatch id={useId()} status={status} x="0" width="18" />
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
          <Swatch status={status} />
          {status} <span>{formatCount(countOf(counts, status))}</span>
        </li>
      ))}
    </ul>
  )
}

/** Returns the number of vehicles with each status, summed over all yards. */
export const sumStatusCounts = (yards: { statuses: StatusCounts }[]): StatusCounts =>
  VEHICLE_STATUSES.map((status) => ({ status, vehicles: yards.reduce((sum, { statuses }) => sum + countOf(statuses, status), 0) }))
