import type { ReactNode } from 'react'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { setQueryParams } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { Select } from '@/ui/Field'
import { Pager } from '@/ui/Pager'
import { useVehicleListText } from './listText'
import { PAGE_SIZE_OPTIONS, setPageSize, usePageSize } from './pageSize'
import styles from './VehicleListFooter.module.css'

interface ListFooterProps {
  page: number
  size: number
  total: number
  /** Whether `total`, the number of vehicles, is known yet. */
  isCounted: boolean
  /** Buttons that act on the shown rows. */
  children?: ReactNode
}

const goToPage = (page: number) => setQueryParams({ page })

/** Footer of the vehicle list: the range of the shown rows, the page size, and the pager. */
export function VehicleListFooter({ page, size, total, isCounted, children }: ListFooterProps) {
  const t = useVehicleListText()
  const chosen = usePageSize()
  const from = (page - 1) * size
  return (
    <div className={styles.foot}>
      {isCounted && total > 0 && <p className="quiet">{t('list.range', { from: formatCount(from + 1), to: formatCount(Math.min(from + size, total)), total: formatCount(total) })}</p>}
      {children}
      {isCounted && total > PAGE_SIZE && (
        <div className={styles.size}>
          <Select label={t('list.size')} value={chosen} onChange={(event) => {
            setPageSize(Number(event.target.value))
            goToPage(1)
          }}>
            {PAGE_SIZE_OPTIONS.map((one) => (
              <option key={one} value={one}>
                {one === 0 ? t('list.sizeAll') : one}
              </option>
            ))}
          </Select>
        </div>
      )}
      <Pager page={page} pages={countPages(total, size)} onPage={goToPage} />
    </div>
  )
}
