import { useScanner, loadScanner, type ScanDialogProps, type ScanViewProps } from '@/lib/scanner'
import { useText } from '@/lib/text'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { ErrorNotice, Skeleton } from './Page'
import styles from './Scanner.module.css'

/** Scanner dialog, loaded on first use. Shows an error if loading fails; the button for typing the identifier works even then. */
export function LazyScanDialog(props: ScanDialogProps) {
  const { scanner } = useScanner()
  const t = useText()
  if (scanner !== null) return <scanner.ScanDialog {...props} />
  return (
    <Dialog kind="full" label={props.label} onClose={props.onClose}>
      <div className={styles.waiting}>
        <h2>{props.label}</h2>
        <ScannerPlaceholder />
        <Button big wide icon="keyboard" onClick={props.onManual}>
          {t('vehicle.manual')}
        </Button>
        <Button kind="quiet" big wide onClick={props.onClose}>
          {t('scan.close')}
        </Button>
      </div>
    </Dialog>
  )
}

/** Scanner embedded in a screen, loaded on first use. */
export function LazyScanView(props: ScanViewProps) {
  const { scanner } = useScanner()
  return scanner === null ? <ScannerPlaceholder /> : <scanner.ScanView {...props} />
}

function ScannerPlaceholder() {
  const t = useText()
  const { hasFailed } = useScanner()
  return hasFailed ? <ErrorNotice text={t('scan.notLoaded')} onRetry={loadScanner} /> : <Skeleton height={320} label={t('common.loading')} />
}
