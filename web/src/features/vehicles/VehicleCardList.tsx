import { useRef } from 'react'
import { Link } from '@/lib/route'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import { ConflictMark } from './ConflictMark'
import { useVisibleRows } from './useVisibleRows'
import type { VehicleRowsProps } from './VehicleTable'
import styles from './VehicleCardList.module.css'

/** Height in pixels of a card, including the gap below it. */
const CARD_PX = 68

/** Vehicles of one page as cards for phones. Each card shows the parking space, the VIN and the status, which moves below a long VIN. */
export function VehicleCardList({ vehicles, hrefOf, conflicts, isBusy }: Pick<VehicleRowsProps, 'vehicles' | 'hrefOf' | 'conflicts'> & { isBusy: boolean }) {
  const list = useRef<HTMLUListElement>(null)
  const { from, to } = useVisibleRows(list, vehicles.length, CARD_PX)
  return (
    <ul ref={list} className={styles.cards} aria-busy={isBusy} style={{ paddingTop: from * CARD_PX, paddingBottom: (vehicles.length - to) * CARD_PX }}>
      {vehicles.slice(from, to).map((vehicle) => (
        <li key={vehicle.id} className={styles.card}>
          <ParkingSpaceSign space={vehicle.parking_space} size="small" />
          <div className={styles.facts}>
            <Link href={hrefOf(vehicle)} className={`${table.rowLink} ${styles.vin} mono ellipsis`}>
              <MonospaceVin vin={vehicle.vin_number} />
            </Link>
            <span className={styles.status}>
              {conflicts.has(vehicle.id) && <ConflictMark small />}
              <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  )
}
