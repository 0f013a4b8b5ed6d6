import { useState, type DragEvent } from 'react'
import { useText } from '@/lib/text'
import { Icon } from '@/ui/Icon'
import styles from './ImportPage.module.css'

interface DropZoneProps {
  file: File | null
  disabled: boolean
  onChoose: (file: File) => void
}

/** A place to drop a workbook, or to tap and choose one. */
export function DropZone({ file, disabled, onChoose }: DropZoneProps) {
  const t = useText()
  const [over, setOver] = useState(false)
  const take = (files: FileList | null) => {
    const first = files?.[0]
    if (first && !disabled) onChoose(first)
  }
  const hover = (event: DragEvent, inside: boolean) => {
    event.preventDefault()
    setOver(inside)
  }
  return (
    <label className={`${styles.drop} ${over ? styles.over : ''}`} onDragOver={(event) => hover(event, true)} onDragLeave={(event) => hover(event, false)}
      onDrop={(event) => {
        hover(event, false)
        take(event.dataTransfer.files)
      }}>
      <Icon name="sheet" size={36} />
      <span className={styles.choose}>{file === null ? t('import.choose') : file.name}</span>
      <span className="quiet">{file === null ? t('import.limits') : t('import.another')}</span>
      <input type="file" className="sr-only" accept=".xlsx" disabled={disabled} aria-label={t('import.file')}
        onChange={(event) => {
          take(event.target.files)
          event.target.value = ''
        }} />
    </label>
  )
}
