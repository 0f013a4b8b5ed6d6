import { useEffect, useEffectEvent, useState } from 'react'
import { Icon } from './Icon'
import styles from './PageDropTarget.module.css'

interface PageDropProps {
  title: string
  /** Explanations of what dropping a file does, one for each accepted type of file. */
  offers: string[]
  onFile: (file: File) => void
}

const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true

/** Accepts a file dropped anywhere on the page. Shows `offers` during a drag. A drop zone under the pointer takes precedence. */
export function PageDropTarget({ title, offers, onFile }: PageDropProps) {
  const [over, setOver] = useState(false)
  const drop = useEffectEvent((event: DragEvent) => {
    setOver(false)
    const file = event.dataTransfer?.files[0]
    if (event.defaultPrevented || file === undefined) return
    event.preventDefault()
    onFile(file)
  })
  useEffect(() => {
    const drag = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false)
    }
    const take = (event: DragEvent) => drop(event)
    window.addEventListener('dragover', drag)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', take)
    return () => {
      window.removeEventListener('dragover', drag)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', take)
    }
  }, [])
  if (!over) return null
  return (
    <div className={styles.veil}>
      <div className={styles.card} role="status">
        <strong>{title}</strong>
        {offers.map((offer) => (
          <span key={offer} className={styles.offer}>
            <Icon name="upload" size={22} />
            {offer}
          </span>
        ))}
      </div>
    </div>
  )
}
