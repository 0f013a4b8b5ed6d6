import { useId } from 'react'
import { Button } from '@/ui/Button'
import { useManageText, type ManageTextKey } from './text'
import styles from './ExecuteButton.module.css'

interface ExecuteButtonProps {
  /** Text key of the reason why the change cannot be made now; `null` when it can be made. */
  obstacle: ManageTextKey | null
  busy: boolean
  onExecute: () => void
}

/** Button that executes the change that a management tool makes. While the button is disabled, a line below states the reason. */
export function ExecuteButton({ obstacle, busy, onExecute }: ExecuteButtonProps) {
  const t = useManageText()
  const id = useId()
  return (
    <div className={styles.execute}>
      <Button kind="primary" big wide disabled={obstacle !== null} busy={busy} aria-describedby={obstacle === null ? undefined : id} onClick={onExecute}>
        {t('bulk.execute')}
      </Button>
      {obstacle !== null && !busy && (
        <p id={id} className="quiet">
          {t(obstacle)}
        </p>
      )}
    </div>
  )
}
