import { useQuery } from '@tanstack/react-query'
import { useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import type { SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import type { InspectionDraft } from '@/lib/inspectionDrafts'
import type { PartialVehicle } from '@/offline/snapshots'
import { vehicleQuery } from '@/offline/queries'
import { ScanDialog } from '@/ui/Scanner'
import { formatDate, formatTime } from '@/lib/time'
import { LinkButton } from '@/ui/Button'
import { Alert, IsInSidePaneContext } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { SaveConflictDialog } from './SaveConflictDialog'
import { MonospaceVin } from './MonospaceVin'
import { VehicleIdentifierField } from './VehicleIdentifierField'
import { InspectionStep } from './InspectionStep'
import { isNoteExpectedForStatus, NoteFields } from './NoteFields'
import { PartialOfflineDataNotice } from './PartialOfflineDataNotice'
import { OpenConflictNotice } from './OpenConflictNotice'
import { VehicleMismatchDialog } from './VehicleMismatchDialog'
import { RestoredDraftNotice } from './RestoredDraftNotice'
import { SaveBar } from './SaveBar'
import { SavedNotice } from './SavedNotice'
import { StatusGrid } from './StatusGrid'
import { StoredNotes } from './StoredNotes'
import { useInspectionText } from './text'
import { useCollapsedSteps, useOnTypingPause } from './useCollapsedSteps'
import { useIsDesktop } from './useIsDesktop'
import { useVehicleIdentification, type VehicleIdentification } from './useVehicleIdentification'
import { useInspectionForm } from './useInspectionForm'
import { CampaignProblemDescription, VehicleDetails } from './VehicleDetails'
import { VehicleHeader } from './VehicleHeader'
import styles from './VehicleInspection.module.css'

/** Minimum window width in pixels at which the notes are expanded when the form opens. */
const WIDE_PX = 900

interface VehicleInspectionProps {
  vehicle: Vehicle
  yard: number | null
  user: SessionUser
  /** Draft with the values of a save that the person corrects; `null` for a new inspection. */
  correction: InspectionDraft | null
  /** Opens a new form with this draft, so that the person can correct the save. */
  onCorrect: (draft: InspectionDraft) => void
  /** Content shown between the inspection steps and the save bar. Hidden after a save, until the next vehicle opens. */
  children?: ReactNode
}

/** Form of one vehicle's inspection. The layout follows the width of the container, so that the form also fits a column beside a list. */
export function VehicleInspection({ vehicle, yard, user, correction, onCorrect, children }: VehicleInspectionProps) {
  const t = useInspectionText()
  const inPane = useContext(IsInSidePaneContext)
  const isDesktop = useIsDesktop()
  const inspection = useInspectionForm(vehicle, yard, user, { correction })
  const { entry, identified, restored, conflict, mismatch, saved, closed, delay } = inspection
  const next = useNextVehicle(delay?.next ?? vehicle.next ?? null, yard)
  const folding = useCollapsedSteps(inspection)
  const field = useRef<HTMLDivElement>(null)
  const status = useRef<HTMLDivElement>(null)
  const [identifications, setIdentifications] = useState(correction === null ? 0 : 1) // the vehicle of a correction is identified already
  const goToStatus = () => {
    folding.fold()
    setIdentifications(identifications + 1)
  }
  useEffect(() => {
    if (identifications > 0) showStatuses(status.current)
  }, [identifications])
  const identification = useVehicleIdentification(vehicle, inspection, goToStatus)
  useOnTypingPause(entry.identifier, identified && fitsOnly(vehicle, entry, identification), () => !folding.isFolded(1) && field.current?.contains(document.activeElement) === true && goToStatus())
  const unlock = () => {
    identification.unlock()
    field.current?.querySelector('input')?.focus()
  }
  const [notes, setNotes] = useState(() => window.innerWidth >= WIDE_PX || entry.operator_notes !== '' || entry.admin_notes !== '')
  const choose = (chosen: string) => {
    inspection.change({ status: chosen })
    if (identified) folding.foldAfterRelease()
    if (isNoteExpectedForStatus(chosen)) setNotes(true)
  }
  if (delay !== null) return <SavedNotice vehicle={vehicle} status={entry.status} delay={delay} next={next} onGo={inspection.goNow} onStay={inspection.stay} onCorrect={() => onCorrect(delay.correction)} />
  return (
    <form className={styles.form} data-pane={inPane || undefined} aria-label={t('vehicle.title')} onSubmit={(event) => event.preventDefault()}>
      {restored && !saved && <RestoredDraftNotice vehicle={vehicle} inspection={inspection} />}
      {closed && (
        <Alert kind="warning">
          <p>{t('walk.closed')}</p>
          <LinkButton to={inspection.campaign}>{t('yards.openCampaign')}</LinkButton>
        </Alert>
      )}
      <fieldset className={styles.all} disabled={closed}>
        <PartialOfflineDataNotice vehicle={vehicle} />
        <OpenConflictNotice vehicle={vehicle} />
        <div className={styles.frame}>
          <div className={styles.columns}>
          <div className={styles.column}>
            <VehicleHeader vehicle={vehicle} next={next} inspection={inspection} />
            {inPane && <CampaignProblemDescription campaign={vehicle.campaign_id} />}
            <InspectionStep n={1} title={t('vehicle.step1')} done={identified} half folded={folding.isFolded(1)} onToggle={identified ? () => folding.toggle(1) : undefined}
              summary={<><span className="mono">{entry.identifier.slice(-6)}</span>, {t(entry.scanned ? 'vehicle.scanned' : 'vehicle.typed')}</>}>
              <VehicleIdentifierField vehicle={vehicle} yard={yard} inspection={inspection} identification={identification} folding={folding} isDesktop={isDesktop} field={field} onManual={unlock} onDone={goToStatus} />
            </InspectionStep>
            <InspectionStep n={2} title={t('vehicle.step2')} done={identified} half row={inPane} folded={folding.isFolded(2)} onToggle={identified ? () => folding.toggle(2) : undefined} summary={vehicle.campaign_name}>
              <VehicleDetails vehicle={vehicle} inspection={inspection} />
            </InspectionStep>
            {folding.isFolded(1) && (correction === null ? <FoldedResult vehicle={vehicle} /> : <CorrectionNotice stored={vehicle.status} supervisor={inspection.supervisor} />)}
            {!inPane && <CampaignProblemDescription campaign={vehicle.campaign_id} />}
            <StoredNotes vehicle={vehicle} />
          </div>
          <div className={styles.column} ref={status}>
            <InspectionStep n={3} title={t('vehicle.step3')} done={identified && entry.status !== ''}>
              <StatusGrid role={user.user_type} stored={vehicle.status} value={entry.status} onChange={choose} />
            </InspectionStep>
            <InspectionStep n={4} title={t('vehicle.step4')} done={identified && (entry.operator_notes !== '' || entry.admin_notes !== '')} folded={!notes} onToggle={() => setNotes(!notes)}>
              <NoteFields inspection={inspection} />
            </InspectionStep>
            <LastChange vehicle={vehicle} />
          </div>
        </div>
        </div>
        <SaveBar vehicle={vehicle} inspection={inspection} identification={identification} isDesktop={isDesktop} onManual={unlock} />
      </fieldset>
      {children}
      {identification.scanning && (
        <ScanDialog label={t('scan.title')} onScan={identification.read} onManual={unlock} onClose={identification.stopScan} gradeMatch={identification.fits} vehicles={identification.lookup.vehicles}>
          <div className={styles.sought}>
            <ParkingSpaceSign space={vehicle.parking_space} size="page" />
            <MonospaceVin vin={vehicle.vin_number} />
          </div>
        </ScanDialog>
      )}
      {conflict && <SaveConflictDialog conflict={conflict} inspection={inspection} />}
      {mismatch && <VehicleMismatchDialog mismatch={mismatch} inspection={inspection} />}
    </form>
  )
}

/**
 * Returns the next vehicle, or `undefined` until the vehicle is loaded. Loading in advance lets the screen of the next vehicle open
 * without delay.
 */
const useNextVehicle = (next: number | null, yard: number | null) => useQuery({ ...vehicleQuery(next ?? 0, yard), enabled: next !== null }).data

/** Returns whether a typed identifier matches this vehicle and no other vehicle of the campaign. */
function fitsOnly({ id }: Vehicle, { identifier, scanned }: InspectionDraft, { lookup }: VehicleIdentification): boolean {
  const found = scanned === true ? null : lookup.find(identifier)
  return found?.kind === 'one' && found.vehicle.id === id
}

/**
 * Moves the focus to the status buttons, and scrolls only as far as needed to show the allowed statuses. Does nothing while the person is
 * typing a note.
 */
function showStatuses(column: HTMLElement | null): void {
  if (document.activeElement instanceof HTMLTextAreaElement) return
  const group = column?.querySelector<HTMLElement>('[role=group]')
  group?.focus({ preventScroll: true })
  group?.firstElementChild?.scrollIntoView({ block: 'nearest' })
}

/**
 * Result of the identification, shown while step 1 is collapsed. If the vehicle is not inspected yet, the result is only announced to
 * screen readers.
 */
function FoldedResult({ vehicle: { inspected, status } }: { vehicle: Vehicle }) {
  const t = useInspectionText()
  if (!inspected) return <p className="sr-only" role="status">{t('vehicle.matches')}</p>
  return (
    <Alert kind="info">
      <p>{t('scan.rightDone')}</p>
      <VehicleStatusBadge status={status} />
    </Alert>
  )
}

/**
 * Notice that the inspection has already been saved and is being corrected. If the vehicle has a stored status, operators also read that
 * only a supervisor can choose any status.
 */
function CorrectionNotice({ stored, supervisor }: { stored: string; supervisor: boolean }) {
  const t = useInspectionText()
  return <Alert kind="info">{supervisor || stored === '' ? t('vehicle.correcting') : t('vehicle.correctingNotes', { status: stored })}</Alert>
}

function LastChange({ vehicle }: { vehicle: Vehicle }) {
  const t = useInspectionText()
  const { modified_by: id, modified_by_hmc: hmc, modified_at: at, isPartial }: PartialVehicle = vehicle
  if (isPartial) return <p className="quiet">{t('vehicle.changesUnknown')}</p>
  if (id === null || id === undefined || !at) return <p className="quiet">{t('vehicle.neverChanged')}</p>
  return <p className="quiet">{t('vehicle.lastChange', { id, hmc: hmc ?? t('vehicle.removedUser'), date: formatDate(at), time: formatTime(at) })}</p>
}
