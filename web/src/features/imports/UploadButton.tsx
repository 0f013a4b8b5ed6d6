import { useId } from 'react'
import { Button } from '@/ui/Button'
import { useImportText, type ImportTextKey } from './text'
import styles from './UploadButton.module.css'

interface UploadButtonProps {
  /** Text key of the reason why nothing can be uploaded now; `null` when a file is chosen. */
  obstacle: ImportTextKey | null
  busy: boolean
  onUpload: () => void
}

/** Button that uploads the chosen workbook. While the button is disabled, a line below states the reason. */
export function UploadButton({ obstacle, busy, onUpload }: UploadButtonProps) {
  const t = useImportText()
  const id = useId()
  return (
    <div className={styles.upload}>
      <Button kind="primary" big wide icon="upload" disabled={obstacle !== null} busy={busy} aria-describedby={obstacle === null ? undefined : id} onClick={onUpload}>
        {t('import.submit')}
      </Button>
      {obstacle !== null && (
        <p id={id} className="quiet">
          {t(obstacle)}
        </p>
      )}
    </div>
  )
}
