import { useState, type ReactNode } from 'react'
import { Icon, type IconName } from '@/ui/Icon'
import styles from './ManagePage.module.css'

interface FoldProps {
  title: string
  icon: IconName
  children: ReactNode
}

/** A section that opens and closes; what was typed in it stays while it is closed. */
export function Fold({ title, icon, children }: FoldProps) {
  const [everOpen, setEverOpen] = useState(false)
  return (
    <details className={styles.fold} onToggle={() => setEverOpen(true)}>
      <summary className={styles.summary}>
        <Icon name={icon} size={22} />
        <h2>{title}</h2>
        <Icon name="down" size={20} />
      </summary>
      {everOpen && <div className={styles.inside}>{children}</div>}
    </details>
  )
}
