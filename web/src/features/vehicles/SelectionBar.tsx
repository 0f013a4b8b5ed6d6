import { buildPath, navigate } from '@/lib/route'
import { formatCount } from '@/lib/format'
import type { ListedVehicle } from '@/api/types'
import { Button } from '@/ui/Button'
import { useVehicleListText } from './listText'
import type { VehicleSelection } from './useVehicleSelection'
import styles from './SelectionBar.module.css'

interface SelectionBarProps {
  campaign: number
  selection: VehicleSelection
  /** Vehicles that match the filter, on all pages. */
  found: readonly ListedVehicle[]
  /** All vehicles of the campaign. */
  all: readonly ListedVehicle[]
  onExport: (vehicles: readonly ListedVehicle[]) => void
}

/** Tool of the Manage Campaigns page that opens with the selected vehicles. */
type Tool = 'vehicle' | 'status' | 'space'

/**
 * Bar with the number of selected vehicles and buttons for bulk actions. Some buttons open a tool of the Manage Campaigns page, and pass
 * the selected vehicles to it in `history.state` (the state of the browser's history entry).
 */
export function SelectionBar({ campaign, selection, found, all, onExport }: SelectionBarProps) {
  const t = useVehicleListText()
  const { ids, put, clear } = selection
  const chosen = () => all.filter(({ id }) => ids.has(id))
  const openTool = (tool: Tool) => {
    const vehicles = chosen()
    const state = { campaign, vins: vehicles.map(({ vin_number }) => vin_number), spaces: vehicles.map(({ parking_space }) => parking_space) }
    navigate(buildPath('/campaign-list', { tool }), { state })
  }
  return (
    <>
      <p role="status" className="sr-only">
        {ids.size > 0 && t('select.count', { n: formatCount(ids.size) })}
      </p>
      {ids.size > 0 && (
        <section className={styles.selection} data-selection-bar aria-label={t('select.title')}>
          <strong aria-hidden="true">{t('select.count', { n: formatCount(ids.size) })}</strong>
          {ids.size < found.length && (
            <Button kind="quiet" onClick={() => put(found.map(({ id }) => id), true)}>
              {t('select.all', { n: formatCount(found.length) })}
            </Button>
          )}
          <span className={styles.actions}>
            {ids.size === 1 && <Button onClick={() => openTool('vehicle')}>{t('select.edit')}</Button>}
            <Button onClick={() => openTool('status')}>{t('select.status')}</Button>
            <Button onClick={() => openTool('space')}>{t('select.move')}</Button>
            <Button icon="download" onClick={() => onExport(chosen())}>
              {t('select.export')}
            </Button>
            <Button kind="quiet" onClick={clear}>
              {t('select.clear')}
            </Button>
          </span>
        </section>
      )}
    </>
  )
}
