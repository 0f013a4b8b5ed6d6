import type { ReactNode } from 'react'
import styles from './ToolColumns.module.css'

interface ToolColumnsProps {
  /** Input fields of the tool. */
  entry: ReactNode
  /** Preview and result of the change. */
  outcome: ReactNode
}

/** The fields of a tool and the outcome of its change: side by side on wide screens, one below the other on phones. */
export const ToolColumns = ({ entry, outcome }: ToolColumnsProps) => (
  <div className={styles.tool}>
    <div className={styles.column}>{entry}</div>
    <div className={styles.column}>{outcome}</div>
  </div>
)
