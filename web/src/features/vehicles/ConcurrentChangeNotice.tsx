import { useState } from 'react'
import type { Vehicle } from '@/api/types'
import { useInspectionText } from './text'
import type { ConcurrentChange } from './concurrentChange'
import styles from './ConcurrentChangeNotice.module.css'

/** Line that names the person who saved the vehicle while this person was entering values, and says whether the save will ask. */
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
