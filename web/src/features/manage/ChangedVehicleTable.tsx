import type { PreviewedVehicle } from '@/api/types'
import { useVehicleFieldLabels } from './useVehicleFieldLabels'
import { ScrollableTable, WideTableCell } from './ScrollableTable'
import { useManageText } from './text'
import styles from './ChangedVehicleTable.module.css'

/** Table of changed vehicles, each with its field values before and after the change. */
export function ChangedVehicleTable({ vehicles }: { vehicles: PreviewedVehicle[] }) {
  const t = useManageText()
  if (vehicles.length === 0) return null
  return (
    <ScrollableTable label={t('csv.changes')} heads={[t('csv.field'), t('csv.oldNew')]}>
      {vehicles.map((vehicle) => (
        <Changes key={`${vehicle.line} ${vehicle.campaign_name}`} vehicle={vehicle} />
      ))}
    </ScrollableTable>
  )
}

function Changes({ vehicle: { vin_number, campaign_name, changes } }: { vehicle: PreviewedVehicle }) {
  const { t, fieldName, shown } = useVehicleFieldLabels()
  return (
    <tbody className={styles.vehicle}>
      <tr>
        <th scope="rowgroup" colSpan={2}>
          <strong className="mono">{vin_number}</strong> <span className={styles.campaign}>{campaign_name}</span>
        </th>
      </tr>
      {changes.length === 0 && (
        <tr>
          <td colSpan={2} className="quiet">
            {t('csv.unchanged')}
          </td>
        </tr>
      )}
      {changes.map(({ field, old, new: next }) => (
        <tr key={field}>
          <td>{fieldName(field)}</td>
          <WideTableCell>
            <span className="quiet">{shown(field, old)}</span> → <strong>{shown(field, next)}</strong>
          </WideTableCell>
        </tr>
      ))}
    </tbody>
  )
}
