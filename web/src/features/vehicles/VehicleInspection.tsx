import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import type { PartialVehicle } from '@/offline/snapshots'
import { vehicleQuery } from '@/offline/queries'
import { ScanDialog } from '@/ui/Scanner'
import { formatDate, formatTime } from '@/lib/time'
import { LinkButton } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { ConflictDialog } from './ConflictDialog'
import { MonospaceVin } from './MonospaceVin'
import { IdentifyVehicle } from './IdentifyVehicle'
import { InspectionStep } from './InspectionStep'
import { needsNote, NoteFields } from './NoteFields'
import { OfflineNotice } from './OfflineNotice'
import { OpenConflictNotice } from './OpenConflictNotice'
import { OtherVehicleDialog } from './OtherVehicleDialog'
import { RestoredDraftNotice } from './RestoredDraftNotice'
import { SaveBar } from './SaveBar'
import { SavedNotice } from './SavedNotice'
import { StatusGrid } from './StatusGrid'
import { useScanText } from './text'
import { useIdentification } from './useIdentification'
import { useInspection, type Inspection } from './useInspection'
import { CampaignProblem, VehicleDetails } from './VehicleDetails'
import styles from './VehicleInspection.module.css'

/** Window width in pixels from which the notes are open from the start. */
const WIDE_PX = 900

interface VehicleInspectionProps {
  vehicle: Vehicle
  yard: number | null
  user: SessionUser
}

/** Form of one vehicle's inspection. The layout follows the width of the container, so that the form also fits a column beside a list. */
export function VehicleInspection({ vehicle, yard, user }: VehicleInspectionProps) {
  const t = useScanText()
  const inspection = useInspection(vehicle, yard, user)
  const { entry, identified, restored, conflict, mismatch, saved, closed, delay } = inspection
  const next = useNextVehicle(delay?.next ?? vehicle.next ?? null, yard)
  const folding = useFolding(inspection)
  const field = useRef<HTMLDivElement>(null)
  const status = useRef<HTMLDivElement>(null)
  const [identifications, setIdentifications] = useState(0)
  const goToStatus = () => {
    folding.fold()
    setIdentifications(identifications + 1)
  }
  useEffect(() => {
    if (identifications > 0) showStatuses(status.current)
  }, [identifications])
  const identification = useIdentification(vehicle, inspection, goToStatus)
  const unlock = () => {
    identification.unlock()
    field.current?.querySelector('input')?.focus()
  }
  const [notes, setNotes] = useState(() => window.innerWidth >= WIDE_PX || entry.operator_notes !== '' || entry.admin_notes !== '')
  const choose = (chosen: string) => {
    inspection.change({ status: chosen })
    if (needsNote(chosen)) setNotes(true)
  }
  if (delay !== null) return <SavedNotice vehicle={vehicle} status={entry.status} delay={delay} next={next} onGo={inspection.goNow} />
  return (
    <form className={styles.form} aria-label={t('vehicle.title')} onSubmit={(event) => event.preventDefault()}>
      {restored && !saved && <RestoredDraftNotice vehicle={vehicle} inspection={inspection} />}
      {closed && (
        <Alert kind="warning">
          <p>{t('walk.closed')}</p>
          <LinkButton to={inspection.campaign}>{t('yards.openCampaign')}</LinkButton>
        </Alert>
      )}
      <fieldset className={styles.all} disabled={closed}>
        <OfflineNotice vehicle={vehicle} />
        <OpenConflictNotice vehicle={vehicle} />
        <div className={styles.frame}>
          <div className={styles.columns}>
          <div className={styles.column}>
            <Place vehicle={vehicle} next={next} />
            <InspectionStep n={1} title={t('vehicle.step1')} done={identified} half folded={folding.isFolded(1)} onToggle={identified ? () => folding.toggle(1) : undefined}
              summary={<><span className="mono">{entry.identifier.slice(-6)}</span>, {t(entry.scanned ? 'vehicle.scanned' : 'vehicle.typed')}</>}>
              <IdentifyVehicle vehicle={vehicle} yard={yard} inspection={inspection} identification={identification} folded={folding.isFolded(1)} field={field} onManual={unlock} onDone={goToStatus} />
            </InspectionStep>
            <InspectionStep n={2} title={t('vehicle.step2')} done={identified} half folded={folding.isFolded(2)} onToggle={identified ? () => folding.toggle(2) : undefined} summary={vehicle.campaign_name}>
              <VehicleDetails vehicle={vehicle} inspection={inspection} />
            </InspectionStep>
            {folding.isFolded(1) && <FoldedResult vehicle={vehicle} />}
            <CampaignProblem campaign={vehicle.campaign_id} />
          </div>
          <div className={styles.column} ref={status}>
            <InspectionStep n={3} title={t('vehicle.step3')} done={entry.status !== ''}>
              <StatusGrid role={user.user_type} stored={vehicle.status} value={entry.status} onChange={choose} />
            </InspectionStep>
            <InspectionStep n={4} title={t('vehicle.step4')} done={entry.operator_notes !== '' || entry.admin_notes !== ''} folded={!notes} onToggle={() => setNotes(!notes)}>
              <NoteFields inspection={inspection} />
            </InspectionStep>
            <LastChange vehicle={vehicle} />
          </div>
        </div>
        </div>
        <SaveBar vehicle={vehicle} inspection={inspection} identification={identification} onManual={unlock} />
      </fieldset>
      {identification.scanning && (
        <ScanDialog label={t('scan.title')} onRead={identification.read} onManual={unlock} onClose={identification.stopScan} fits={identification.fits} vehicles={identification.lookup.vehicles}>
          <div className={styles.sought}>
            <ParkingSpaceSign space={vehicle.parking_space} size="page" />
            <MonospaceVin vin={vehicle.vin_number} />
          </div>
        </ScanDialog>
      )}
      {conflict && <ConflictDialog conflict={conflict} inspection={inspection} />}
      {mismatch && <OtherVehicleDialog mismatch={mismatch} inspection={inspection} />}
    </form>
  )
}

/**
 * Returns the next vehicle, or `undefined` until the vehicle is loaded. Loading in advance lets the screen of the next vehicle open
 * without delay.
 */
const useNextVehicle = (next: number | null, yard: number | null) => useQuery({ ...vehicleQuery(next ?? 0, yard), enabled: next !== null }).data

/** Moves the focus to the statuses, and scrolls only as far as the large buttons need. A person who is typing a note keeps the focus. */
function showStatuses(column: HTMLElement | null): void {
  if (document.activeElement instanceof HTMLTextAreaElement) return
  const group = column?.querySelector<HTMLElement>('[role=group]')
  group?.focus({ preventScroll: true })
  group?.firstElementChild?.scrollIntoView({ block: 'nearest' })
}

type FoldingStep = 1 | 2

/**
 * Manages which steps of the inspection are collapsed. Steps 1 and 2 can collapse only after the vehicle has been identified by a scan
 * or by typing.
 */
function useFolding({ entry, identified }: Inspection) {
  const [folded, setFolded] = useState<FoldingStep[]>(() => (identified && entry.scanned ? [1, 2] : []))
  return {
    fold: () => setFolded([1, 2]),
    isFolded: (step: FoldingStep) => identified && folded.includes(step),
    toggle: (step: FoldingStep) => setFolded(folded.includes(step) ? folded.filter((other) => other !== step) : [...folded, step]),
  }
}

/** Result of the scan, shown instead of the collapsed first step. For an uninspected vehicle, only screen readers get the result. */
function FoldedResult({ vehicle: { inspected, status } }: { vehicle: Vehicle }) {
  const t = useScanText()
  if (!inspected) return <p className="sr-only" role="status">{t('vehicle.matches')}</p>
  return (
    <Alert kind="info">
      <p>{t('scan.rightDone')}</p>
      <VehicleStatusBadge status={status} />
    </Alert>
  )
}

/** Parking space and VIN of the vehicle to inspect, and the parking space of the next vehicle. */
function Place({ vehicle, next }: { vehicle: Vehicle; next: Vehicle | undefined }) {
  const t = useScanText()
  return (
    <div className={styles.place}>
      <ParkingSpaceSign space={vehicle.parking_space} size="page" />
      <div className={styles.beside}>
        <MonospaceVin vin={vehicle.vin_number} />
        {next && (
          <span className={styles.next}>
            {t('walk.next')} <ParkingSpaceSign space={next.parking_space} size="small" />
          </span>
        )}
      </div>
    </div>
  )
}

function LastChange({ vehicle }: { vehicle: Vehicle }) {
  const t = useScanText()
  const { modified_by: id, modified_by_hmc: hmc, modified_at: at, partly }: PartialVehicle = vehicle
  if (partly) return <p className="quiet">{t('vehicle.changesUnknown')}</p>
  if (id === null || id === undefined || !at) return <p className="quiet">{t('vehicle.neverChanged')}</p>
  return <p className="quiet">{t('vehicle.lastChange', { id, hmc: hmc ?? t('vehicle.removedUser'), date: formatDate(at), time: formatTime(at) })}</p>
}
