import type { ScanDialogProps } from '@/lib/scanner'
import { Button, IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { ScanView } from './ScanView'
import { useScanText } from './text'
import styles from './ScanDialog.module.css'

/** The scanner as a modal; Manual is always below it. */
export function ScanDialog({ label, onManual, onClose, ...view }: ScanDialogProps) {
  const t = useScanText()
  return (
    <Dialog kind="full" label={label} onClose={onClose}>
      <div className={styles.dialog}>
        <div className={styles.top}>
          <h2>{label}</h2>
          <IconButton icon="close" label={t('scan.close')} onClick={onClose} />
        </div>
        <ScanView {...view} />
        <div className={styles.bar}>
          <Button big wide icon="keyboard" onClick={onManual}>
            {t('vehicle.manual')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
