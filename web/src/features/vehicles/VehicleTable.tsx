import type { ListedVehicle } from '@/api/types'
import { useMediaQuery } from '@/lib/media'
import { Link, link } from '@/lib/route'
import { useText } from '@/lib/text'
import { Icon } from '@/ui/Icon'
import { VehicleStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import styles from './VehicleListPage.module.css'

interface VehicleTableProps {
  vehicles: ListedVehicle[]
  /** Whether a yard is chosen; 'next' then stays in it. */
  inYard: boolean
}

/** The vehicles of one page: a dense table where there is room, cards on the phone. */
export function VehicleTable({ vehicles, inYard }: VehicleTableProps) {
  const t = useText()
  const wide = useMediaQuery('(min-width: 768px)')
  const addressOf = ({ id, id_yard }: ListedVehicle) => link(`/vehicle/${id}`, { yard: inYard ? id_yard : null })
  if (!wide) {
    return (
      <ul className={styles.cards}>
        {vehicles.map((vehicle) => (
          <li key={vehicle.id} className={styles.card}>
            <Link href={addressOf(vehicle)} className={`${table.rowLink} ${styles.vin} mono`}>
              {vehicle.vin_number}
            </Link>
            <span className={styles.space}>{vehicle.parking_space}</span>
            <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
          </li>
        ))}
      </ul>
    )
  }
  return (
    <div className={table.frame}>
      <table className={`${table.table} ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('campaigns.view')}</th>
            <th scope="col">{t('vehicles.vin')}</th>
            <th scope="col">{t('vehicles.space')}</th>
            <th scope="col">{t('vehicles.status')}</th>
          </tr>
        </thead>
        <tbody>
          {vehicles.map((vehicle) => (
            <tr key={vehicle.id}>
              <td>
                <Icon name="eye" size={20} />
              </td>
              <td>
                <Link href={addressOf(vehicle)} className={`${table.rowLink} mono`}>
                  {vehicle.vin_number}
                </Link>
              </td>
              <td>{vehicle.parking_space}</td>
              <td>
                <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
