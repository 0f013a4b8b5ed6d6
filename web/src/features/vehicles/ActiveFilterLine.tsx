import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { clearListFilters } from './useVehicleListUrlState'
import { FILTER_NOT_INSPECTED, FILTER_INSPECTED_WITHOUT_STATUS, type VehicleListFilter } from './filterVehicleList'
import { useVehicleListText } from './listText'
import styles from './ActiveFilterLine.module.css'

/** Line that names the filters of the list, with a button that shows all vehicles. Renders nothing without a filter. */
export function ActiveFilterLine({ filter: { search, yard, statuses }, shown, total }: { filter: VehicleListFilter; shown: number; total: number }) {
  const t = useVehicleListText()
  const named = (status: string) => (status === FILTER_NOT_INSPECTED ? t('status.waiting') : status === FILTER_INSPECTED_WITHOUT_STATUS ? t('status.none') : status)
  const parts = [search.trim() !== '' && `"${search.trim()}"`, yard !== '' && t('yard.named', { name: yard }), statuses.map(named).join(', ')].filter(Boolean)
  if (parts.length === 0) return null
  return (
    <div className={styles.filtered}>
      <p role="status" data-print>{t('list.filtered', { what: parts.join(' · '), n: formatCount(shown), total: formatCount(total) })}</p>
      {shown > 0 && (
        <Button kind="quiet" onClick={clearListFilters}>
          {t('list.showAll')}
        </Button>
      )}
    </div>
  )
}
