import { useQuery } from '@tanstack/react-query'
import { useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import type { SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import type { InspectionDraft } from '@/lib/inspectionDrafts'
import { vehicleQuery } from '@/offline/queries'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { LazyScanDialog } from '@/ui/Scanner'
import { Alert, SidePaneContext } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { ClosedCampaignVehicleView } from './ClosedCampaignVehicleView'
import { LastChangeLine } from './LastChangeLine'
import { SaveConflictDialog } from './SaveConflictDialog'
import { VehicleIdentifierField } from './VehicleIdentifierField'
import { InspectionShortcuts } from './InspectionShortcuts'
import { InspectionStep } from './InspectionStep'
import { isNoteExpectedForStatus, NoteFields } from './NoteFields'
import { PartialOfflineDataNotice } from './PartialOfflineDataNotice'
import { OpenConflictNotice } from './OpenConflictNotice'
import { VehicleMismatchDialog } from './VehicleMismatchDialog'
import { RestoredDraftNotice } from './RestoredDraftNotice'
import { SaveBar } from './SaveBar'
import { SavedNotice } from './SavedNotice'
import { StatusButtonGrid } from './StatusButtonGrid'
import { StoredNotesSummary } from './StoredNotesSummary'
import { useInspectionText } from './text'
import { useCollapsedSteps, useOnTypingPause } from './useCollapsedSteps'
import { useIsDesktopLayout } from './useIsDesktopLayout'
import { useVehicleIdentification, type VehicleIdentification } from './useVehicleIdentification'
import { useInspectionForm } from './useInspectionForm'
import { CampaignProblemDescription, VehicleDetails } from './VehicleDetails'
import { VehicleHeader } from './VehicleHeader'
import styles from './VehicleInspectionForm.module.css'

/** Minimum window width in pixels at which the notes are expanded when the form opens. */
const WIDE_PX = 900
/** Window height in pixels below which the page scrolls to the opened notes, because they do not fit under the statuses. */
const LOW_PX = 700

interface VehicleInspectionProps {
  vehicle: Vehicle
  yard: number | null
  user: SessionUser
  /** Draft with the values of a save that the person corrects; `null` for a new inspection. */
  correction: InspectionDraft | null
  /** Opens a new form with this draft, so that the person can correct the save. */
  onCorrect: (draft: InspectionDraft) => void
  /** Content shown below the inspection steps, or in the left column of a wide page. Hidden after a save, until the next vehicle opens. */
  children?: ReactNode
}

/** Form of one vehicle's inspection: two columns on a wide page of its own, one column on phones and in the pane beside a list. */
export function VehicleInspectionForm({ vehicle, yard, user, correction, onCorrect, children }: VehicleInspectionProps) {
  const t = useInspectionText()
  const inPane = useContext(SidePaneContext)
  const isDesktop = useIsDesktopLayout()
  const inspection = useInspectionForm(vehicle, yard, user, { correction })
  const { entry, identified, restored, conflict, mismatch, saved, closed, delay } = inspection
  const seen = useVehicleBefore(vehicle, inspection.concurrent !== null)
  const correctsNotes = !inspection.supervisor && hasStatusBefore(correction)
  const next = useNextVehicle(delay?.next ?? vehicle.next ?? null, yard)
  const collapsedSteps = useCollapsedSteps(inspection)
  const field = useRef<HTMLDivElement>(null)
  const { column, go } = useFocusAfterIdentification(correction !== null, correctsNotes)
  const goToStatus = () => {
    collapsedSteps.collapse()
    go()
  }
  const identification = useVehicleIdentification(vehicle, inspection, goToStatus)
  useOnTypingPause(entry.identifier, identified && fitsOnly(vehicle, entry, identification), () => !collapsedSteps.isCollapsed(1) && field.current?.contains(document.activeElement) === true && goToStatus())
  const unlock = () => {
    identification.unlock()
    field.current?.querySelector('input')?.focus()
  }
  const [notes, setNotes] = useState(() => correctsNotes || window.innerWidth >= WIDE_PX || entry.operator_notes !== '' || entry.admin_notes !== '')
  const choose = (chosen: string) => {
    inspection.change({ status: chosen })
    if (identified) collapsedSteps.collapseAfterRelease()
    if (!isNoteExpectedForStatus(chosen)) return
    setNotes(true)
    if (window.innerHeight < LOW_PX) requestAnimationFrame(() => column.current?.querySelector('[data-step="4"]')?.scrollIntoView({ block: 'nearest' }))
  }
  if (delay !== null) return <SavedNotice vehicle={vehicle} status={entry.status} delay={delay} next={next} correctsNotes={!inspection.supervisor && hasStatusBefore(delay.correction)} onGo={inspection.goNow} onStay={inspection.stay} onCorrect={() => onCorrect(delay.correction)} />
  if (closed) return <ClosedCampaignVehicleView vehicle={vehicle} user={user} inspection={inspection}>{children}</ClosedCampaignVehicleView>
  return (
    <form className={styles.form} data-pane={inPane || undefined} aria-label={t('vehicle.title')} onSubmit={(event) => event.preventDefault()}>
      <div className={styles.notices}>
        {restored && !saved && <RestoredDraftNotice vehicle={vehicle} inspection={inspection} />}
        <PartialOfflineDataNotice vehicle={vehicle} />
      </div>
      <div className={styles.columns}>
        <div className={styles.column}>
          <VehicleHeader vehicle={vehicle} stored={seen} next={next} inspection={inspection} />
          <OpenConflictNotice vehicle={vehicle} />
          <CampaignProblemDescription campaign={vehicle.campaign_id} />
          <InspectionStep n={1} title={t('vehicle.step1')} done={identified} half collapsed={collapsedSteps.isCollapsed(1)} onToggle={identified ? () => collapsedSteps.toggle(1) : undefined}
            summary={<><span className="mono">{entry.identifier.slice(-6)}</span>, {t(entry.scanned ? 'vehicle.scanned' : 'vehicle.typed')}</>}>
            <VehicleIdentifierField vehicle={vehicle} yard={yard} inspection={inspection} identification={identification} collapsedSteps={collapsedSteps} isDesktop={isDesktop} field={field} onManual={unlock} onDone={goToStatus} />
          </InspectionStep>
          <InspectionStep n={2} title={t('vehicle.step2')} done={identified} half row={inPane} collapsed={collapsedSteps.isCollapsed(2)} onToggle={identified ? () => collapsedSteps.toggle(2) : undefined}
            summary={<>{entry.parking_space} · <span className={styles.status}>{seen.status}</span>{seen.status === '' && t(seen.inspected ? 'status.none' : 'status.waiting')}</>}>
            <VehicleDetails vehicle={vehicle} inspection={inspection} />
          </InspectionStep>
          {collapsedSteps.isCollapsed(1) && (correction === null ? <FoldedResult vehicle={seen} /> : <CorrectionNotice stored={vehicle.status} supervisor={inspection.supervisor} />)}
          <StoredNotesSummary vehicle={seen} />
        </div>
        <div className={styles.column} ref={column}>
          <InspectionStep n={3} title={t('vehicle.step3')} note={inPane && seen.inspected ? t('vehicle.inspectedNote') : undefined} done={identified && entry.status !== ''}>
            <StatusButtonGrid role={user.user_type} stored={inspection.previousStatus} value={entry.status} onChange={choose} />
          </InspectionStep>
          <InspectionStep n={4} title={t('vehicle.step4')} done={identified && (entry.operator_notes !== '' || entry.admin_notes !== '')} collapsed={!notes} onToggle={() => setNotes(!notes)}>
            <NoteFields inspection={inspection} />
          </InspectionStep>
          <LastChangeLine vehicle={vehicle} />
        </div>
      </div>
      <InspectionShortcuts onNotes={() => setNotes(true)} />
      <SaveBar vehicle={vehicle} inspection={inspection} identification={identification} isDesktop={isDesktop} onManual={unlock} />
      {children}
      {identification.scanning && <VehicleScanDialog vehicle={vehicle} identification={identification} onManual={unlock} />}
      {conflict && <SaveConflictDialog conflict={conflict} inspection={inspection} />}
      {mismatch && <VehicleMismatchDialog mismatch={mismatch} inspection={inspection} />}
    </form>
  )
}

/** Scanner with the parking space and the VIN of the vehicle to look for. */
function VehicleScanDialog({ vehicle, identification, onManual }: { vehicle: Vehicle; identification: VehicleIdentification; onManual: () => void }) {
  const t = useInspectionText()
  return (
    <LazyScanDialog label={t('scan.title')} onScan={identification.read} onManual={onManual} onClose={identification.stopScan} gradeMatch={identification.fits} vehicles={identification.lookup.vehicles}>
      <div className={styles.sought}>
        <ParkingSpaceSign space={vehicle.parking_space} size="page" />
        <MonospaceVin vin={vehicle.vin_number} />
      </div>
    </LazyScanDialog>
  )
}

/**
 * Returns the ref of the column of statuses and notes, and a function that moves the focus there. The focus goes to the notes if the person
 * can correct only these, otherwise to the statuses. In a correction, the vehicle is already identified, so the focus moves at once.
 */
function useFocusAfterIdentification(isIdentified: boolean, correctsNotes: boolean) {
  const column = useRef<HTMLDivElement>(null)
  const [identifications, setIdentifications] = useState(isIdentified ? 1 : 0)
  useEffect(() => {
    if (identifications > 0) (correctsNotes ? showNotes : showStatuses)(column.current)
  }, [identifications, correctsNotes])
  return { column, go: () => setIdentifications(identifications + 1) }
}

/**
 * Returns the next vehicle, or `undefined` until the vehicle is loaded. Loading in advance lets the screen of the next vehicle open
 * without delay.
 */
const useNextVehicle = (next: number | null, yard: number | null) => useQuery({ ...vehicleQuery(next ?? 0, yard), enabled: next !== null }).data

/** Returns whether a correction starts from a vehicle that has a status. Only supervisors can freely change such a status. */
const hasStatusBefore = (correction: InspectionDraft | null): boolean => (correction?.base?.status ?? '') !== ''

/**
 * Returns the vehicle. While `isHeld` is true, returns the last version from before `isHeld` became true, so that the layout does not shift
 * during input.
 */
function useVehicleBefore(vehicle: Vehicle, isHeld: boolean): Vehicle {
  const [before, setBefore] = useState(vehicle)
  if (!isHeld && before !== vehicle) setBefore(vehicle)
  return isHeld ? before : vehicle
}

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

/** Moves the focus to the operator notes, which scrolls them into view. */
function showNotes(column: HTMLElement | null): void {
  column?.querySelector('textarea')?.focus()
}

/**
 * Notice that the identifier matches this vehicle, rendered while step 1 is collapsed. The notice of an inspected vehicle also shows the
 * status; otherwise the notice is visible to screen readers only.
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
