import type { CsvResult } from '@/api/types'
import { count } from '@/lib/time'
import { useManageText } from './text'
import manage from './ManagePage.module.css'
import styles from './CsvPreview.module.css'

/** What a checked file holds: counts, and the first vehicles with their fields before and after. */
export function CsvPreview({ result: { vehicles, updated, total_errors, preview } }: { result: CsvResult }) {
  const t = useManageText()
  return (
    <>
      <p className={manage.sentence} role="status">
        {t('csv.counts', { n: count(vehicles), updated: count(updated), errors: count(total_errors) })}
      </p>
      {preview.length > 0 && (
        <div className={styles.scroll} role="region" aria-label={t('csv.changes')} tabIndex={0}>
          <table className={manage.changing}>
            <thead>
              <tr>
                <th scope="col">{t('csv.field')}</th>
                <th scope="col">{t('csv.oldNew')}</th>
              </tr>
            </thead>
            {preview.map((vehicle) => (
              <Changes key={vehicle.line} vehicle={vehicle} />
            ))}
          </table>
        </div>
      )}
      {vehicles > preview.length && preview.length > 0 && <p className="quiet">{t('bulk.more', { n: count(vehicles - preview.length) })}</p>}
    </>
  )
}

function Changes({ vehicle: { vin_number, campaign_name, changes } }: { vehicle: CsvResult['preview'][number] }) {
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
