import type { ReactNode } from 'react'
import { formatCount } from '@/lib/format'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { useManageText } from './text'
import styles from './BulkVehicleTable.module.css'

interface BulkVehicleTableProps {
  label: string
  heads: [string, string]
  /** Bodies of the table, one `tbody` element for each campaign. */
  children: ReactNode
}

/** Table of the vehicles of a bulk change: the VIN in the first column, the change or the outcome in the second. */
export const BulkVehicleTable = ({ label, heads, children }: BulkVehicleTableProps) => (
  <table className={styles.table} aria-label={label}>
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">{head}</th>
        ))}
      </tr>
    </thead>
    {children}
  </table>
)

/** Line below a table that lists only some of its vehicles: the number of listed vehicles and the total number. */
export function ListedCount({ listed, total }: { listed: number; total: number }) {
  const t = useManageText()
  return total > listed && <p className="quiet">{t('bulk.listed', { n: formatCount(listed), total: formatCount(total) })}</p>
}

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
