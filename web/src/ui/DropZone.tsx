import { useState, type DragEvent } from 'react'
import { Icon } from './Icon'
import styles from './DropZone.module.css'

interface DropZoneProps {
  label: string
  accept: string
  /** Name of the chosen file, or the prompt to choose a file. */
  title: string
  hint: string
  disabled: boolean
  onChoose: (file: File) => void
}

/** Area that accepts a dropped file and opens the file picker on a tap. */
export function DropZone({ label, accept, title, hint, disabled, onChoose }: DropZoneProps) {
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
      <span className={styles.choose}>{title}</span>
      <span className="quiet">{hint}</span>
      <input type="file" className="sr-only" accept={accept} disabled={disabled} aria-label={label}
        onChange={(event) => {
          take(event.target.files)
          event.target.value = ''
        }} />
    </label>
  )
}
