import type { ReactNode } from 'react'
import styles from './ScrollableTable.module.css'

interface ScrollTableProps {
  label: string
  heads: [string, string]
  /** Body of the table, as one or several `tbody` elements. */
  children: ReactNode
}

/** Table of two columns in a scrollable region of limited height. The region is focusable, so that the keyboard can scroll it. */
export const ScrollableTable = ({ label, heads, children }: ScrollTableProps) => (
  <div className={styles.scroll} role="region" aria-label={label} tabIndex={0}>
    <table className={styles.table}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  </div>
)

/** Second cell of a row, wider than the first. It shows the changed fields of a vehicle, or why the vehicle was not changed. */
export const WideTableCell = ({ children }: { children: ReactNode }) => <td className={styles.wide}>{children}</td>
