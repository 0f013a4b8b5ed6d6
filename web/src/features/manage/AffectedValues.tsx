import type { BulkResult } from '@/api/types'
import { formatCount } from '@/lib/format'
import { LinkButton } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { VehicleStatusBadge } from '@/ui/Status'
import { useManageText } from './text'
import styles from './AffectedValues.module.css'

interface AffectedValuesProps {
  result: Partial<Pick<BulkResult, 'replaced_statuses' | 'open_conflicts'>>
  /** Whether the change removes statuses instead of overwriting them. */
  removes?: boolean
}

/**
 * Warning about values that a planned bulk change affects: the saved statuses that it overwrites, each with the number of vehicles, and
 * the number of vehicles with an open conflict. Renders nothing if the change affects neither.
 */
export function AffectedValues({ result: { replaced_statuses: statuses = [], open_conflicts: conflicts = 0 }, removes = false }: AffectedValuesProps) {
  const t = useManageText()
  if (statuses.length === 0 && conflicts === 0) return null
  return (
    <Alert kind="warning">
      {statuses.length > 0 && (
        <>
          <p>{t(removes ? 'bulk.removes' : 'bulk.replaces')}</p>
          <ul className={styles.statuses}>
            {statuses.map(({ status, vehicles }) => (
              <li key={status}>
                <VehicleStatusBadge status={status} />
                <span className={styles.count}>{formatCount(vehicles)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {conflicts > 0 && (
        <div className={styles.conflicts}>
          <p>{t('bulk.conflicts', { n: formatCount(conflicts) })}</p>
          <LinkButton to="/conflicts">{t('menu.conflicts')}</LinkButton>
        </div>
      )}
    </Alert>
  )
}
