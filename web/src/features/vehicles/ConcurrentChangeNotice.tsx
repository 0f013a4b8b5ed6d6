import { useState } from 'react'
import type { Vehicle } from '@/api/types'
import { useInspectionText } from './text'
import type { ConcurrentChange } from './concurrentChange'
import styles from './ConcurrentChangeNotice.module.css'

/**
 * Line that names the other person who changed the vehicle while the user was editing it. If both entered different values, the line adds
 * that the app will ask about this when the user saves.
 */
export function ConcurrentChangeNotice({ vehicle, change: { hasStatus, asks }, restored }: { vehicle: Vehicle; change: ConcurrentChange; restored: boolean }) {
  const t = useInspectionText()
  // A restored draft can be older than the other save, and then nothing happened just now.
  const [isOld] = useState(restored)
  const hmc = vehicle.modified_by_hmc ?? t('vehicle.removedUser')
  const status = vehicle.status === '' ? t('status.none') : vehicle.status.toUpperCase()
  return (
    <p className={styles.line} role="status">
      {hasStatus ? t(isOld ? 'vehicle.savedMeanwhile' : 'vehicle.savedJustNow', { hmc, status }) : t('vehicle.notesMeanwhile', { hmc })}
      {asks && ` ${t('vehicle.asksOnSave')}`}
    </p>
  )
}
