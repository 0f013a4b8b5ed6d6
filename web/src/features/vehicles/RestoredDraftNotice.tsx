import type { Vehicle } from '@/api/types'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { useInspectionText } from './text'
import type { InspectionForm } from './useInspectionForm'
import styles from './RestoredDraftNotice.module.css'

/**
 * Notice that the values on screen are a restored draft, with a button to discard the draft. Warns when the draft was typed for another
 * VIN.
 */
export function RestoredDraftNotice({ vehicle, inspection }: { vehicle: Vehicle; inspection: InspectionForm }) {
  const t = useInspectionText()
  const { typedOn, discard } = inspection
  return (
    <div className={styles.notice}>
      <Alert kind={typedOn === null ? 'info' : 'warning'}>
        <p>{typedOn === null ? t('vehicle.restored') : t('vehicle.typedOn', { vin: typedOn, now: vehicle.vin_number })}</p>
        <Button onClick={discard}>{t('vehicle.discard')}</Button>
      </Alert>
    </div>
  )
}
