import { useState } from 'react'
import type { ScanDialogProps } from '@/lib/scanner'
import { Button, IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { ScanView } from './ScanView'
import { useScannerText } from './text'
import styles from './ScanDialog.module.css'

/** Scan dialog: the camera view, and below it a Manual button for typing the identifier instead. */
export function ScanDialog({ label, onManual, onClose, children, ...view }: ScanDialogProps) {
  const t = useScannerText()
  const [hasFailed, setHasFailed] = useState(false)
  return (
    <Dialog kind="full" label={label} onClose={onClose}>
      <div className={styles.dialog}>
        <div className={styles.top}>
          <h2>{label}</h2>
          <IconButton icon="close" label={t('scan.close')} onClick={onClose} />
        </div>
        <div className={styles.camera}>
          <ScanView {...view} onCameraChange={setHasFailed} />
        </div>
        <div className={styles.about}>{children}</div>
        <div className={styles.bar}>
          <Button kind={hasFailed ? 'primary' : 'secondary'} big wide icon="keyboard" onClick={onManual}>
            {t('vehicle.manual')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
