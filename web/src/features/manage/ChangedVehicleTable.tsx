import type { PreviewedVehicle } from '@/api/types'
import { useFieldLabels } from './fieldLabels'
import { useManageText } from './text'
import manage from './ManagePage.module.css'
import styles from './ChangedVehicleTable.module.css'

/** Table of the first changed vehicles, each with its fields before and after the change. */
export function ChangedVehicleTable({ vehicles }: { vehicles: PreviewedVehicle[] }) {
  const t = useManageText()
  if (vehicles.length === 0) return null
  return (
    <div className={styles.scroll} role="region" aria-label={t('csv.changes')} tabIndex={0}>
      <table className={manage.changing}>
        <thead>
          <tr>
            <th scope="col">{t('csv.field')}</th>
            <th scope="col">{t('csv.oldNew')}</th>
          </tr>
        </thead>
        {vehicles.map((vehicle) => (
          <Changes key={`${vehicle.line} ${vehicle.campaign_name}`} vehicle={vehicle} />
        ))}
      </table>
    </div>
  )
}

function Changes({ vehicle: { vin_number, campaign_name, changes } }: { vehicle: PreviewedVehicle }) {
  const { t, fieldName, shown } = useFieldLabels()
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
          <td className={styles.value}>
            <span className="quiet">{shown(field, old)}</span> → <strong>{shown(field, next)}</strong>
          </td>
        </tr>
      ))}
    </tbody>
  )
}
