import { PAGE_SIZE } from '@/lib/pagination'
import { Skeleton } from '@/ui/Page'
import table from '@/ui/Table.module.css'
import styles from './VehicleTableSkeleton.module.css'

/** Placeholder with the frame and the row height of the vehicle table: the column titles and one page of rows. */
export const VehicleTableSkeleton = ({ label, onRetry }: { label: string; onRetry: () => void }) => (
  <div className={`${table.frame} ${styles.frame}`}>
    <Skeleton rows={PAGE_SIZE + 1} className={styles.row} label={label} onRetry={onRetry} />
  </div>
)
