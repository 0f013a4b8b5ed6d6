import type { PossiblyPartialVehicle } from '@/offline/snapshots'
import type { Vehicle } from '@/api/types'
import { useInspectionText } from './text'
import styles from './PartialOfflineDataNotice.module.css'

/** Notice that only the list data of this vehicle is available offline: notes and last change are missing. */
export function PartialOfflineDataNotice({ vehicle }: { vehicle: Vehicle }) {
  const t = useInspectionText()
  const { isPartial }: PossiblyPartialVehicle = vehicle
  return isPartial ? <p className={styles.partly} data-offline-notice>{t('vehicle.partly')}</p> : null
}
