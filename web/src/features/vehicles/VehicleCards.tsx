import { useRef } from 'react'
import { Link } from '@/lib/route'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import { useVisibleRows } from './useVisibleRows'
import type { VehicleRowsProps } from './VehicleTable'
import { VinText } from './VinText'
import styles from './VehicleCards.module.css'

/** Height in pixels of a card, including the gap below it. */
const CARD_PX = 96

/** Vehicles of one page as cards for phones: the parking space first, the status at the right. */
export function VehicleCards({ vehicles, hrefOf, isBusy }: Pick<VehicleRowsProps, 'vehicles' | 'hrefOf'> & { isBusy: boolean }) {
  const list = useRef<HTMLUListElement>(null)
  const { from, to } = useVisibleRows(list, vehicles.length, CARD_PX)
  return (
    <ul ref={list} className={styles.cards} aria-busy={isBusy} style={{ paddingTop: from * CARD_PX, paddingBottom: (vehicles.length - to) * CARD_PX }}>
      {vehicles.slice(from, to).map((vehicle) => (
        <li key={vehicle.id} className={styles.card}>
          <ParkingSpaceSign space={vehicle.parking_space} size="small" />
          <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
          <Link href={hrefOf(vehicle)} className={`${table.rowLink} mono ellipsis`}>
            <VinText vin={vehicle.vin_number} />
          </Link>
        </li>
      ))}
    </ul>
  )
}
