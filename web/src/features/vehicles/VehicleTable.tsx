import { useRef, type MouseEvent } from 'react'
import type { ListedVehicle } from '@/api/types'
import { Link } from '@/lib/route'
import { Icon } from '@/ui/Icon'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import { ConflictMark } from './ConflictMark'
import { getNextSortParam, VEHICLE_SORT_COLUMNS, type VehicleListSort, type VehicleSortColumn } from './vehicleListSort'
import { useVehicleListText } from './listText'
import type { VehicleSelection } from './useVehicleSelection'
import { useIsPrinting } from '@/lib/printing'
import { useVisibleRows } from './useVisibleRows'
import styles from './VehicleTable.module.css'

const ROW_PX = 44
const TITLES = { vin: 'vehicles.vin', space: 'vehicles.space', status: 'vehicles.status' } as const

export interface VehicleRowsProps {
  vehicles: readonly ListedVehicle[]
  hrefOf: (vehicle: ListedVehicle) => string
  /** Ids of the vehicles with an open conflict. */
  conflicts: ReadonlySet<number>
  /** Id of the vehicle that is open beside the list; `null` when none is open. */
  open: number | null
  /** Opens a vehicle beside the list; `null` where a vehicle opens on its own page. */
  onOpen: ((vehicle: ListedVehicle) => void) | null
}

interface VehicleTableProps extends VehicleRowsProps {
  sort: VehicleListSort | null
  /** Receives the sort order as written in the URL. */
  onSort: (sort: string | null) => void
  /** Selected vehicles and the functions that change the selection; `null` for people who may not change many vehicles at once. */
  selection: VehicleSelection | null
  isBusy: boolean
}

/** Vehicles of one page as a table. If the page is long, only the visible rows are rendered, except for printing. */
export function VehicleTable({ vehicles, sort, onSort, selection, isBusy, ...row }: VehicleTableProps) {
  const t = useVehicleListText()
  const body = useRef<HTMLTableSectionElement>(null)
  const visible = useVisibleRows(body, vehicles.length, ROW_PX)
  const { from, to } = useIsPrinting() ? { from: 0, to: vehicles.length } : visible
  return (
    <div className={`${table.frame} ${styles.frame} ${row.open === null ? styles.alone : ''}`} aria-busy={isBusy}>
      <table className={`${table.table} ${styles.table}`} aria-rowcount={vehicles.length + 1}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.box}>
                <PageBox vehicles={vehicles} selection={selection} />
              </th>
            )}
            <th scope="col" className={styles.view}>{t('campaigns.view')}</th>
            {VEHICLE_SORT_COLUMNS.map((column) => (
              <SortHeader key={column} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap rows={from} />
          {vehicles.slice(from, to).map((vehicle, at) => (
            <Row key={vehicle.id} vehicle={vehicle} index={from + at + 2} selection={selection} {...row} />
          ))}
          <Gap rows={vehicles.length - to} />
        </tbody>
      </table>
    </div>
  )
}

/** Empty space in place of the rows that are not rendered. */
const Gap = ({ rows }: { rows: number }) => rows > 0 && <tr aria-hidden="true" className={styles.gap} style={{ height: rows * ROW_PX }} />

function SortHeader({ column, sort, onSort }: { column: VehicleSortColumn; sort: VehicleListSort | null; onSort: VehicleTableProps['onSort'] }) {
  const t = useVehicleListText()
  const direction = sort?.column !== column ? 'none' : sort.down ? 'descending' : 'ascending'
  return (
    <th scope="col" aria-sort={direction} className={styles.sorted}>
      <button type="button" className={styles.sort} onClick={() => onSort(getNextSortParam(sort, column))}>
        {t(TITLES[column])}
      </button>
    </th>
  )
}

function PageBox({ vehicles, selection: { ids, put } }: { vehicles: readonly ListedVehicle[]; selection: VehicleSelection }) {
  const t = useVehicleListText()
  const chosen = vehicles.filter(({ id }) => ids.has(id)).length
  const isWhole = chosen > 0 && chosen === vehicles.length
  return (
    <label className={styles.check}>
      <input type="checkbox" aria-label={t('select.page')} checked={isWhole}
        ref={(box) => {
          if (box) box.indeterminate = chosen > 0 && !isWhole
        }}
        onChange={() => put(vehicles.map(({ id }) => id), !isWhole)} />
    </label>
  )
}

function Row({ vehicle, index, selection, hrefOf, conflicts, open, onOpen }: Omit<VehicleRowsProps, 'vehicles'> & { vehicle: ListedVehicle; index: number; selection: VehicleSelection | null }) {
  const t = useVehicleListText()
  const { id, vin_number, parking_space, status, inspected } = vehicle
  const show = onOpen && ((event: MouseEvent) => {
    event.preventDefault()
    onOpen(vehicle)
  })
  return (
    <tr data-vehicle={id} aria-rowindex={index}>
      {selection && (
        <td className={styles.box}>
          <label className={`${styles.check} ${table.above}`}>
            <input type="checkbox" aria-label={t('select.one', { vin: vin_number })} checked={selection.ids.has(id)} onChange={() => selection.toggle(id)} />
          </label>
        </td>
      )}
      <td className={styles.view}>
        <Icon name="eye" size={20} />
      </td>
      <td>
        <Link href={hrefOf(vehicle)} className={`${table.rowLink} ${styles.vin}`} aria-current={id === open ? 'true' : undefined} onClick={show ?? undefined}>
          <MonospaceVin vin={vin_number} />
        </Link>
      </td>
      <td>
        <ParkingSpaceSign space={parking_space} size="small" />
      </td>
      <td>
        <span className={styles.status}>
          <VehicleStatusBadge status={status} inspected={inspected} />
          {conflicts.has(id) && <ConflictMark />}
        </span>
      </td>
    </tr>
  )
}
