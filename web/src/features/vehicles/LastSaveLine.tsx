import { useEffect, useState } from 'react'
import { UNDO_PERIOD_MS, type OutboxEntry } from '@/offline/outbox'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { useInspectionText } from './text'
import type { CompletedSave } from './useAfterSaveNavigation'
import styles from './LastSaveLine.module.css'

interface LastSaveLineProps {
  saved: CompletedSave
  onUndo: (save: OutboxEntry) => void
}

/**
 * Line with the last saved vehicle. A save that can still be undone has an Undo button; any other save states whether the server or
 * only this device has stored it.
 */
export function LastSaveLine({ saved: { vehicle: { vin_number: vin, parking_space: space, status }, result }, onUndo }: LastSaveLineProps) {
  const t = useInspectionText()
  const [over, setOver] = useState(false)
  const held = result.kind === 'queued' && result.held ? result.entry : null
  useEffect(() => {
    const timer = held === null ? undefined : setTimeout(setOver, held.at + UNDO_PERIOD_MS - Date.now(), true)
    return () => clearTimeout(timer)
  }, [held])
  if (over) return null
  if (held !== null) {
    return (
      <div className={styles.undo} role="status">
        <span><strong>{space}</strong> {status}</span>
        <Button kind="quiet" icon="undo" aria-label={t('walk.undoLabel', { space, status })} onClick={() => onUndo(held)}>{t('walk.undo')}</Button>
      </div>
    )
  }
  const words = result.kind === 'queued' ? (['walk.keptPlain', 'walk.kept'] as const) : (['walk.savedPlain', 'walk.saved'] as const)
  return (
    <p className={styles.saved} role="status">
      <Icon name="check" size={20} />
      {t(words[status === '' ? 0 : 1], { vin, status })}
    </p>
  )
}
