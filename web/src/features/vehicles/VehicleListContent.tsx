import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import type { ListedVehicle } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { buildPath, navigate, setQueryParams } from '@/lib/route'
import { isYardWithoutName } from '@/lib/yards'
import { Button } from '@/ui/Button'
import { EmptyState, Skeleton } from '@/ui/Page'
import { useVehicleRowsFromServer, useConflictedVehicleIds } from './api'
import { ActiveFilterLine } from './ActiveFilterLine'
import { RowKeyboardHints } from './RowKeyboardHints'
import { clearListFilters, type VehicleListUrlState } from './useVehicleListUrlState'
import { buildVehicleListCsv, saveVehicleListCsv } from './vehicleListExport'
import { VehicleListFooter } from './VehicleListFooter'
import { useVehicleListText } from './listText'
import { usePageSize } from './pageSize'
import { PrintLimitNotice } from './PrintLimitNotice'
import { SelectionBar } from './SelectionBar'
import type { useFilteredVehicleRows } from './useFilteredVehicleRows'
import { MAX_PRINTED_ROWS, printPage, useIsPrinting } from '@/lib/printing'
import { useRowKeyboardNavigation } from './useRowKeyboardNavigation'
import { useVehicleSelection } from './useVehicleSelection'
import { VehicleCardList } from './VehicleCardList'
import { VehiclePaneView } from './VehiclePaneView'
import { VehicleTable } from './VehicleTable'
import { VehicleTableSkeleton } from './VehicleTableSkeleton'
import styles from './VehicleListContent.module.css'

interface VehicleResultsProps {
  campaign: number
  name: string
  /** All vehicles that the person may see; `undefined` while they load. */
  visible: ListedVehicle[] | undefined
  found: ReturnType<typeof useFilteredVehicleRows>
  address: VehicleListUrlState
  /** Whether the person may change many vehicles at once and export them. */
  manages: boolean
  /** Requests the vehicles again, when loading takes long. */
  onRetry: () => void
  /** Search field and filters, above the rows. */
  children: ReactNode
}

/** Height in pixels of a grey card, which with the gap of the skeleton is as high as a card with its gap. */
const CARD_SKELETON_PX = 58
const NONE: readonly ListedVehicle[] = []

/** Sets the open vehicle and the page in the URL. For the first opened vehicle, adds an entry to the browser history, so that going back closes the vehicle. */
function showInAddress(vehicle: number | null, page: number, isFirst: boolean): void {
  const query = new URLSearchParams(window.location.search)
  if (vehicle === null) query.delete('vehicle')
  else query.set('vehicle', String(vehicle))
  if (page > 1) query.set('page', String(page))
  else query.delete('page')
  navigate(buildPath(window.location.pathname, Object.fromEntries(query)), { replace: !isFirst })
}

/**
 * Vehicle rows with footer and selection, and on wide screens the open vehicle beside them. Until the full list is loaded, shows rows found
 * by the server.
 */
export function VehicleListContent({ campaign, name, visible, found, address, manages, onRetry, children }: VehicleResultsProps) {
  const t = useVehicleListText()
  const list = useRef<HTMLDivElement>(null)
  const selection = useVehicleSelection()
  const isTable = useMediaQuery('(min-width: 768px)')
  const maySelect = useMediaQuery('(min-width: 900px)') && manages
  const isSplit = useMediaQuery('(min-width: 1100px) and (min-height: 481px)')
  const { filter, sort, page } = address
  const { search, yard, statuses } = filter
  const isPlain = yard === '' && statuses.length === 0
  const isKnown = visible !== undefined && (found.isReady || (search === '' && isPlain && sort === null))
  const all = found.isReady ? found.rows : (visible ?? NONE)
  const chosenSize = usePageSize()
  const isServerPage = chosenSize === PAGE_SIZE || page === 1 // the server's pages have that size
  const early = useVehicleRowsFromServer(campaign, { search, page }, visible === undefined && isPlain && sort === null && isServerPage).data
  const size = chosenSize === 0 ? Math.max(all.length, 1) : chosenSize
  const shown = Math.min(page, countPages(all.length, size))
  const known = useMemo(() => all.slice((shown - 1) * size, shown * size), [all, shown, size])
  const isPrinted = useIsPrinting() && isKnown
  const printed = useMemo(() => (isPrinted ? all.slice(0, MAX_PRINTED_ROWS) : undefined), [all, isPrinted])
  const rows = printed ?? (visible === undefined ? early?.filter(({ yard_group }) => manages || !isYardWithoutName(yard_group)) : isKnown ? known : undefined)

  const open = isSplit ? address.open : null
  const opened = useMemo(() => (open === null ? undefined : visible?.find(({ id }) => id === open)), [open, visible])
  const at = useMemo(() => (open === null ? -1 : all.findIndex(({ id }) => id === open)), [open, all])
  const show = (vehicle: number) => {
    const row = all.findIndex(({ id }) => id === vehicle)
    showInAddress(vehicle, row < 0 ? shown : Math.floor(row / size) + 1, address.open === null)
  }
  const isArriving = useRef(address.open !== null)
  useEffect(() => {
    if (!isArriving.current || at < 0) return
    isArriving.current = false
    const arrived = Math.floor(at / size) + 1
    if (arrived !== shown) setQueryParams({ page: arrived })
  }, [at, size, shown])
  const close = () => {
    if (address.open === null) return
    const row = list.current?.querySelector<HTMLElement>(`[data-vehicle="${address.open}"] a`)
    setQueryParams({ vehicle: null })
    row?.focus()
  }
  const neighbour = (by: number) => {
    const next = at < 0 ? undefined : all[at + by]
    return next ? () => show(next.id) : null
  }
  useRowKeyboardNavigation(list, {
    page: shown, pages: countPages(all.length, size), isOpen: open !== null,
    onOpen: show, onClose: close, onPage: (next) => setQueryParams({ page: next }), onSelect: maySelect ? selection.toggle : null,
  })

  const statusOf = ({ status, inspected }: ListedVehicle) => status || t(inspected ? 'status.none' : 'status.waiting')
  const exportRows = (vehicles: readonly ListedVehicle[]) => saveVehicleListCsv(buildVehicleListCsv([t('vehicles.vin'), t('vehicles.space'), t('vehicles.status')], vehicles, statusOf), name)
  const hrefOf = ({ id, id_yard }: ListedVehicle) => buildPath(`/vehicle/${id}`, { yard: yard === '' ? null : id_yard })
  const common = { hrefOf, conflicts: useConflictedVehicleIds(campaign, manages), isBusy: found.isSorting }
  return (
    <div className={open === null ? styles.alone : styles.split}>
      <div ref={list} className={styles.list}>
        {children}
        {found.isReady && <ActiveFilterLine filter={filter} shown={all.length} total={visible?.length ?? 0} />}
        {rows === undefined && (isTable ? <VehicleTableSkeleton label={t('vehicles.loading')} onRetry={onRetry} /> : <Skeleton rows={PAGE_SIZE} height={CARD_SKELETON_PX} label={t('vehicles.loading')} onRetry={onRetry} />)}
        {rows && rows.length > 0 && (isTable ? (
          <VehicleTable vehicles={rows} sort={sort} onSort={(next) => setQueryParams({ sort: next, page: null })} selection={maySelect ? selection : null} open={open}
            onOpen={isSplit ? ({ id }) => show(id) : null} {...common} />
        ) : (
          <VehicleCardList vehicles={rows} {...common} />
        ))}
        {visible && rows?.length === 0 && (
          <EmptyState icon="search" text={t('vehicles.noMatch')}>
            <Button onClick={clearListFilters}>{t('vehicles.showAll')}</Button>
          </EmptyState>
        )}
        {maySelect && <SelectionBar campaign={campaign} selection={selection} found={all} all={visible ?? NONE} onExport={exportRows} />}
        {isPrinted && <PrintLimitNotice total={all.length} />}
        <VehicleListFooter page={isPrinted ? 1 : shown} size={isPrinted ? MAX_PRINTED_ROWS : size} total={all.length} isCounted={isKnown}>
          {isTable && isKnown && all.length > 0 && (
            <Button kind="quiet" icon="print" onClick={printPage}>
              {t('list.print')}
            </Button>
          )}
          {manages && isTable && isKnown && all.length > 0 && (
            <Button kind="quiet" icon="download" onClick={() => exportRows(all)}>
              {t('list.export')}
            </Button>
          )}
        </VehicleListFooter>
        {isTable && isKnown && all.length > 0 && <RowKeyboardHints selects={maySelect} isSplit={isSplit} />}
      </div>
      {open !== null && (yard === '' || opened !== undefined) && (
        <VehiclePaneView id={open} yard={yard === '' ? null : (opened?.id_yard ?? null)} open={show} close={close} onPrevious={neighbour(-1)} onNext={neighbour(1)} />
      )}
    </div>
  )
}
