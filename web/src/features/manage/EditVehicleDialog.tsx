import { useState, type FormEvent } from 'react'
import { createFormDraftHook } from '@/api/formDrafts'
import { getErrorMessage } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import { getVehicleFromVersionConflict } from '@/api/versionConflict'
import type { Vehicle } from '@/api/types'
import { isSupervisor } from '@/lib/roles'
import { findStatusChangeError, parseVehicleStatus, VEHICLE_STATUSES } from '@/lib/vehicleStatus'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Select, TextArea, TextField } from '@/ui/Field'
import { Alert } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { ConfirmSaveWithoutStatusDialog } from '@/ui/ConfirmSaveWithoutStatusDialog'
import { useUpdateVehicle } from './api'
import { useManageText } from './text'
import styles from './EditVehicleDialog.module.css'

type Entry = Pick<Vehicle, 'vin_number' | 'parking_space' | 'status' | 'operator_notes' | 'admin_notes'>
const entryOf = ({ vin_number, parking_space, status, operator_notes, admin_notes }: Vehicle): Entry => ({ vin_number, parking_space, status, operator_notes, admin_notes })

/** Hook that holds the id of the edited vehicle and the values that the person has entered. Both are kept when the session expires, and restored when the same person signs in again. */
const useEntry = createFormDraftHook<{ id: number; entry: Entry } | null>(null)

/**
 * Returns the field values to save: the typed value of each field that the person changed, and the currently stored value of any other
 * field. `before` is the vehicle when the dialog was opened, and `now` is the vehicle as currently stored.
 */
function merged(entry: Entry, before: Vehicle, now: Vehicle): Entry {
  const pick = <K extends keyof Entry>(field: K): Entry[K] => (entry[field] === before[field] ? now[field] : entry[field])
  return { vin_number: pick('vin_number').trim(), parking_space: pick('parking_space'), status: pick('status'), operator_notes: pick('operator_notes'), admin_notes: pick('admin_notes') }
}

const isIdentifier = (text: string) => /^\S+ \S+$/.test(text.trim())

/** Dialog for editing one vehicle, with the fields that the person's access level may change. */
export function EditVehicleDialog({ vehicle, onClose }: { vehicle: Vehicle; onClose: () => void }) {
  const t = useManageText()
  const role = useSession()?.user.user_type ?? ''
  const supervisor = isSupervisor(role)
  const [typed, setTyped] = useEntry()
  const entry = typed?.id === vehicle.id ? typed.entry : entryOf(vehicle)
  const save = useUpdateVehicle()
  const [asked, setAsked] = useState(false)
  const winner = getVehicleFromVersionConflict(save.error)
  const change = (part: Partial<Entry>) => setTyped({ id: vehicle.id, entry: { ...entry, ...part } })
  const wrongVin = supervisor && !isIdentifier(entry.vin_number)
  const wrongSpace = supervisor && entry.parking_space.trim() === ''

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wrongVin || wrongSpace || save.isPending) return
    if (entry.status === '') return setAsked(true)
    store()
  }
  const store = () => {
    setAsked(false)
    const stored = winner ?? vehicle
    save.mutate({ vehicle, version: stored.version, input: { ...merged(entry, vehicle, stored), campaign_id: vehicle.campaign_id } }, {
      onSuccess: (saved) => {
        showToast('success', t('editor.saved', { vin: saved.vin_number }))
        onClose()
      },
    })
  }
  return (
    <Dialog label={t('editor.edit', { vin: vehicle.vin_number })} onClose={onClose}>
      <form className={styles.dialog} onSubmit={submit} noValidate>
        <h2>{t('editor.edit', { vin: vehicle.vin_number })}</h2>
        <TextField label={t('vehicles.vin')} className="mono" readOnly={!supervisor} value={entry.vin_number} error={wrongVin ? t('vehicle.vinFormat') : null} onChange={(event) => change({ vin_number: event.target.value })} />
        <TextField label={t('vehicles.space')} readOnly={!supervisor} value={entry.parking_space} error={wrongSpace ? t('vehicle.spaceFormat') : null} onChange={(event) => change({ parking_space: event.target.value })} />
        <Select label={t('vehicles.status')} value={entry.status} onChange={(event) => change({ status: parseVehicleStatus(event.target.value) })}>
          <option value="" disabled={!supervisor && vehicle.status !== ''}>
            {t('status.none')}
          </option>
          {VEHICLE_STATUSES.map((status) => (
            <option key={status} disabled={status !== vehicle.status && findStatusChangeError(role, vehicle.status, status) !== null}>
              {status}
            </option>
          ))}
        </Select>
        <TextArea label={t('vehicle.operatorNotes')} value={entry.operator_notes} onChange={(event) => change({ operator_notes: event.target.value })} />
        <TextArea label={t('vehicle.adminNotes')} readOnly={!supervisor} hint={supervisor ? null : t('vehicle.adminNotesHint')} value={entry.admin_notes} onChange={(event) => change({ admin_notes: event.target.value })} />
        {winner && <Alert kind="warning">{t('editor.stale', { status: winner.status || t('status.none'), space: winner.parking_space })}</Alert>}
        {save.error && !winner && <Alert kind="error">{t('editor.notSaved', { why: getErrorMessage(save.error, t) })}</Alert>}
        <p className="quiet">{t('editor.marks')}</p>
        <div className={styles.answers}>
          <Button kind="primary" type="submit" busy={save.isPending} disabled={wrongVin || wrongSpace}>
            {t('editor.save')}
          </Button>
          <Button onClick={onClose}>{t('editor.cancel')}</Button>
        </div>
      </form>
      {asked && <ConfirmSaveWithoutStatusDialog onYes={store} onNo={() => setAsked(false)} />}
    </Dialog>
  )
}
