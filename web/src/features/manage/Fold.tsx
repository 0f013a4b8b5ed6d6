import { useState, type ReactNode } from 'react'
import { draftOf } from '@/api/drafts'
import { Icon, type IconName } from '@/ui/Icon'
import styles from './ManagePage.module.css'

const useOpen = draftOf<readonly string[]>([])

/** Which sections are open; after the session has ended and begun again they are as they were. */
export function useFolds() {
  const [opened, setOpened] = useOpen()
  return (name: string) => ({
    open: opened.includes(name),
    onToggle: (open: boolean) => {
      setOpened((before) => (open === before.includes(name) ? before : open ? [...before, name] : before.filter((other) => other !== name)))
    },
  })
}

interface FoldProps {
  title: string
  icon: IconName
  open: boolean
  onToggle: (open: boolean) => void
  children: ReactNode
}

/** A section that opens and closes; what was typed in it stays while it is closed. */
export function Fold({ title, icon, open, onToggle, children }: FoldProps) {
  const [everOpen, setEverOpen] = useState(open)
  return (
    <details className={styles.fold} open={open} onToggle={(event) => {
      setEverOpen(true)
      onToggle(event.currentTarget.open)
    }}>
      <summary className={styles.summary}>
        <Icon name={icon} size={22} />
        <h2>{title}</h2>
        <Icon name="down" size={20} />
      </summary>
      {everOpen && <div className={styles.inside}>{children}</div>}
    </details>
  )
}
