import type { Previewed } from '@/api/types'
import { useManageText } from './text'
import manage from './ManagePage.module.css'
import styles from './OldAndNew.module.css'

/** The first of the vehicles that change, each with its fields before and after. */
export function OldAndNew({ vehicles }: { vehicles: Previewed[] }) {
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

function Changes({ vehicle: { vin_number, campaign_name, changes } }: { vehicle: Previewed }) {
  const { t, fieldName, shown } = useFieldWords()
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

/** Fields and their values as the other screens name them. */
function useFieldWords() {
  const t = useManageText()
  const names: Record<string, string> = {
    parking_space: t('vehicles.space'),
    status: t('vehicles.status'),
    inspected: t('csv.inspected'),
    operator_notes: t('vehicle.operatorNotes'),
    admin_notes: t('vehicle.adminNotes'),
  }
  const shown = (field: string, value: string) => {
    if (field === 'inspected') return t(value === 'true' ? 'csv.yes' : 'csv.no')
    return value === '' ? '—' : value
  }
  return { t, fieldName: (field: string) => names[field] ?? field, shown }
}
