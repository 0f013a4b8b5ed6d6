import type { ReactNode } from 'react'
import { MonospaceVin } from '@/ui/MonospaceVin'
import styles from './ScrollableTable.module.css'

interface ScrollTableProps {
  label: string
  heads: [string, string]
  /** Bodies of the table, one `tbody` element for each campaign. */
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

/** Part of a table for one campaign: a heading row with the campaign's name in at most two lines, followed by the rows in `children`. */
export const CampaignTableBody = ({ campaign, children }: { campaign: string; children: ReactNode }) => (
  <tbody>
    {campaign !== '' && (
      <tr>
        <th scope="rowgroup" colSpan={2} title={campaign} className={styles.campaign}>
          <span>{campaign}</span>
        </th>
      </tr>
    )}
    {children}
  </tbody>
)

/** Row of one vehicle: its VIN, and in a wider second cell its changed fields, or why the vehicle was not changed. */
export const VehicleRow = ({ vin, children, ...rest }: { vin: string; children: ReactNode; 'data-outcome'?: string }) => (
  <tr {...rest}>
    <td>
      <span className={styles.vin}><MonospaceVin vin={vin} /></span>
    </td>
    <td className={styles.wide}>{children}</td>
  </tr>
)
