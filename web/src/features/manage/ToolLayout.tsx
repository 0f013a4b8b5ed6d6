import type { ReactNode } from 'react'
import styles from './ToolLayout.module.css'

interface ToolLayoutProps {
  /** Input fields of the tool. */
  entry: ReactNode
  /** Preview and result of the change. */
  outcome: ReactNode
}

/** The fields of a tool and the outcome of its change: side by side on wide screens, one below the other on phones. */
export const ToolLayout = ({ entry, outcome }: ToolLayoutProps) => (
  <div className={styles.tool}>
    <div className={styles.column}>{entry}</div>
    <div className={styles.column}>{outcome}</div>
  </div>
)
