import { useSession } from '@/api/session'
import { findStatusChangeError, parseVehicleStatus } from '@/lib/vehicleStatus'
import { OPERATOR_EDITABLE_FIELDS, VEHICLE_FIELD_LABELS, type VehicleField } from '@/lib/vehicleFields'
import { formatDate, formatTime } from '@/lib/format'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { VehicleStatusBadge } from '@/ui/Status'
import { useInspectionText } from './text'
import type { InspectionForm } from './useInspectionForm'
import type { SaveConflict } from './useSubmitInspection'
import styles from './SaveConflictDialog.module.css'

/** Vehicle fields that the dialog compares, in the order of display. */
const FIELDS: readonly VehicleField[] = ['status', 'parking_space', 'vin_number', 'operator_notes', 'admin_notes']

/** Labels of the fields. The notes have short labels here, because their usual labels do not fit into a column on a small phone. */
const LABELS = { ...VEHICLE_FIELD_LABELS, operator_notes: 'notes.operator', admin_notes: 'notes.supervisor' } as const

/**
 * Dialog shown when another person saved the vehicle first: shows both versions and lets the person choose. A person whose role may not
 * replace the saved status keeps both versions instead, and a team leader chooses.
 */
export function SaveConflictDialog({ conflict, inspection }: { conflict: SaveConflict; inspection: InspectionForm }) {
  const t = useInspectionText()
  const { current, mine } = conflict
  const { supervisor, keepMine, keepBoth, takeTheirs, busy } = inspection
  const role = useSession()?.user.user_type ?? ''
  const status = parseVehicleStatus(mine.status)
  const mayKeepMine = conflict.rejected === null || status === '' || mine.status === current.status || findStatusChangeError(role, current.status, status) === null
  const differing = FIELDS.filter((field) => mine[field] !== current[field] && (supervisor || OPERATOR_EDITABLE_FIELDS.includes(field)))
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
            {differing.map((field) => (
              <tr key={field}>
                <th scope="row">{t(LABELS[field])}</th>
                <td><Value field={field} value={mine[field]} /></td>
                <td><Value field={field} value={current[field]} /></td>
              </tr>
            ))}
          </tbody>
        </table>
        {differing.length === 0 && <p className="quiet">{t('conflict.same')}</p>}
        {!mayKeepMine && <p>{t('conflict.leaderChooses', { mine: mine.status, theirs: current.status })}</p>}
        <div className={styles.answers}>
          <Button kind="primary" busy={busy} onClick={() => (mayKeepMine ? keepMine(conflict) : keepBoth(conflict))}>
            {t(mayKeepMine ? 'conflict.keepMine' : 'conflict.keepBoth')}
          </Button>
          <Button disabled={busy} onClick={() => takeTheirs(conflict)}>
            {t('conflict.takeTheirs')}
          </Button>
          <Button kind="quiet" disabled={busy} onClick={inspection.decideLater}>
            {t('vehicle.cancel')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Value({ field, value }: { field: VehicleField; value: string }) {
  const t = useInspectionText()
  if (value === '') return <span className="quiet">{t(field === 'status' ? 'status.none' : 'conflict.empty')}</span>
  return field === 'status' ? <VehicleStatusBadge status={value} /> : value
}
