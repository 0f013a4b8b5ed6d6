import type { Vehicle } from '@/api/types'
import type { InspectionDraft } from '@/lib/drafts'
import type { VehicleField } from '@/lib/fields'
import { useText, type TextKey } from '@/lib/text'
import { formatDate, formatTime } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import type { Inspection } from './useInspection'
import type { SaveConflict } from './useSubmitInspection'
import styles from './ConflictDialog.module.css'

const FIELDS = [
  ['status', 'vehicles.status'],
  ['parking_space', 'vehicles.space'],
  ['vin_number', 'vehicles.vin'],
  ['operator_notes', 'vehicle.operatorNotes'],
  ['admin_notes', 'vehicle.adminNotes'],
] as const satisfies [keyof InspectionDraft & keyof Vehicle, TextKey][]
const FREE: (keyof InspectionDraft)[] = ['status', 'operator_notes']

/** Dialog shown when another person saved the vehicle first: shows both versions and lets the person choose. */
export function ConflictDialog({ conflict, inspection }: { conflict: SaveConflict; inspection: Inspection }) {
  const t = useText()
  const { current, mine } = conflict
  const { supervisor, keepMine, takeTheirs, busy } = inspection
  const differing = FIELDS.filter(([field]) => mine[field] !== current[field] && (supervisor || FREE.includes(field)))
  const at = current.modified_at
  return (
    <Dialog label={t('conflict.title')} onClose={inspection.decideLater}>
      <div className={styles.conflict}>
        <h2>{t('conflict.title')}</h2>
        <p>{t('conflict.text', { hmc: current.modified_by_hmc ?? '?', date: at ? formatDate(at) : '', time: at ? formatTime(at) : '' })}</p>
        <table className={styles.versions}>
          <thead>
            <tr>
              <th scope="col">{t('conflict.field')}</th>
              <th scope="col">{t('conflict.mine')}</th>
              <th scope="col">{t('conflict.theirs')}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map(([field, label]) => (
              <tr key={field}>
                <th scope="row">{t(label)}</th>
                <td><Value field={field} value={mine[field]} /></td>
                <td><Value field={field} value={current[field]} /></td>
              </tr>
            ))}
          </tbody>
        </table>
        {differing.length === 0 && <p className="quiet">{t('conflict.same')}</p>}
        <div className={styles.answers}>
          <Button kind="primary" busy={busy} onClick={() => keepMine(conflict)}>
            {t('conflict.keepMine')}
          </Button>
          <Button disabled={busy} onClick={() => takeTheirs(conflict)}>
            {t('conflict.takeTheirs')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Value({ field, value }: { field: VehicleField; value: string }) {
  const t = useText()
  return value === '' ? <span className="quiet">{t(field === 'status' ? 'status.none' : 'conflict.empty')}</span> : value
}
