import type { PartlyKnown as Known } from '@/api/taken'
import type { Vehicle } from '@/api/types'
import { useScanText } from './text'
import styles from './VehiclePage.module.css'

/** Says what is not known of a vehicle of which this phone has only the list's row. */
export function PartlyKnown({ vehicle }: { vehicle: Vehicle }) {
  const t = useScanText()
  const { partly }: Known = vehicle
  return partly ? <p className={styles.partly}>{t('vehicle.partly')}</p> : null
}
