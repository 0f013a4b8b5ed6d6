import { useRef, useState } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import { useSession, type SessionUser } from '@/api/session'
import type { ListedVehicle, Vehicle } from '@/api/types'
import { Button, IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { ErrorNotice, Skeleton } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { useVehicle } from './api'
import { ConcurrentChangeNotice } from './ConcurrentChangeNotice'
import { SaveConflictDialog } from './SaveConflictDialog'
import { StorageWarning } from './StorageWarning'
import { isNoteExpectedForStatus, NoteFields } from './NoteFields'
import { SaveErrorAlert } from './SaveErrorAlert'
import { VehicleMismatchDialog } from './VehicleMismatchDialog'
import { PartialOfflineDataNotice } from './PartialOfflineDataNotice'
import { RestoredDraftNotice } from './RestoredDraftNotice'
import { StatusButtonGrid } from './StatusButtonGrid'
import { useInspectionText } from './text'
import type { CompletedSaveCallback } from './useAfterSaveNavigation'
import { useInspectionForm } from './useInspectionForm'
import { CampaignProblemDescription } from './VehicleDetails'
import styles from './WalkInspectionSheet.module.css'

interface SheetProps {
  campaign: number
  listed: ListedVehicle
  yard: number | null
  scanned: boolean
  /** Whether the tap on a status saves the vehicle. The save can then be undone for a few seconds. */
  oneTap: boolean
  onSaved: CompletedSaveCallback
  onClose: () => void
}

/** Sheet over the camera with the scanned vehicle: one tap selects the status, another tap saves the vehicle. */
export function WalkInspectionSheet({ campaign, listed, yard, scanned, oneTap, onSaved, onClose }: SheetProps) {
  const t = useInspectionText()
  const session = useSession()
  const vehicle = useVehicle(listed.id, yard)
  return (
    <Dialog kind="sheet" label={t('walk.sheet', { vin: listed.vin_number })} onClose={onClose}>
      <div className={styles.sheet}>
        <div className={styles.head}>
          <ParkingSpaceSign space={listed.parking_space} size="page" />
          <div className={styles.car}>
            <MonospaceVin vin={listed.vin_number} />
            {listed.inspected && <span className={styles.done}>{t('walk.done')} <VehicleStatusBadge status={listed.status} /></span>}
          </div>
          <div className={styles.problem}>
            <CampaignProblemDescription campaign={campaign} />
          </div>
        </div>
        {vehicle.isPending && <Skeleton rows={2} height={72} label={t('vehicle.loading')} onRetry={() => void vehicle.refetch()} />}
        {vehicle.isError && !vehicle.data && <ErrorNotice text={getErrorMessage(vehicle.error, t)} onRetry={() => void vehicle.refetch()} />}
        {vehicle.data && session && <Inspect vehicle={vehicle.data} yard={yard} user={session.user} scanned={scanned} oneTap={oneTap} onSaved={onSaved} />}
        <div className={styles.close}>
          <IconButton icon="close" label={t('walk.skip')} onClick={onClose} />
        </div>
      </div>
    </Dialog>
  )
}

interface InspectProps {
  vehicle: Vehicle
  yard: number | null
  user: SessionUser
  scanned: boolean
  oneTap: boolean
  onSaved: CompletedSaveCallback
}

function Inspect({ vehicle, yard, user, scanned, oneTap, onSaved }: InspectProps) {
  const t = useInspectionText()
  const inspection = useInspectionForm(vehicle, yard, user, { onSaved, isUndoable: oneTap })
  const { entry, busy, error, restored, typedOn, conflict, mismatch, concurrent, change, submit } = inspection
  const [open, setOpen] = useState(entry.operator_notes !== '')
  const [hasRestoredStatus] = useState(restored && entry.status !== vehicle.status)
  const notes = useRef<HTMLDetailsElement>(null)
  const choose = (status: string) => {
    const part = { status, identifier: vehicle.vin_number, scanned }
    change(part)
    if (isNoteExpectedForStatus(status)) {
      setOpen(true)
      if (oneTap) requestAnimationFrame(() => notes.current?.querySelector('textarea')?.focus())
    } else if (oneTap && status !== '' && status !== vehicle.status && !busy) submit('stay', part)
  }
  return (
    <form className={styles.inspect} aria-label={t('walk.sheet', { vin: vehicle.vin_number })} onSubmit={(event) => event.preventDefault()}>
      <PartialOfflineDataNotice vehicle={vehicle} />
      {restored && (hasRestoredStatus || typedOn !== null) && <RestoredDraftNotice vehicle={vehicle} inspection={inspection} />}
      <StatusButtonGrid role={user.user_type} stored={inspection.previousStatus} value={entry.status} onChange={choose} />
      <details ref={notes} className={styles.notes} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t('walk.notes')}</summary>
        <NoteFields inspection={inspection} />
      </details>
      <div className={styles.save}>
        <StorageWarning />
        <SaveErrorAlert error={error} />
        {concurrent !== null && !busy && <ConcurrentChangeNotice vehicle={vehicle} change={concurrent} restored={restored} />}
        <Button kind="primary" big wide busy={busy} disabled={entry.status === ''} onClick={() => submit('stay')}>
          {entry.status === '' ? t('walk.choose') : t('walk.saveAs', { status: entry.status })}
        </Button>
      </div>
      {conflict && <SaveConflictDialog conflict={conflict} inspection={inspection} />}
      {mismatch && <VehicleMismatchDialog mismatch={mismatch} inspection={inspection} />}
    </form>
  )
}
