import type { ReactNode } from 'react'
import type { Vehicle } from '@/api/types'
import { toIdentifierKey } from '@/lib/identifier'
import { Link, buildPath } from '@/lib/route'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { Alert } from '@/ui/Page'
import { VehicleStatusBadge } from '@/ui/Status'
import { useFindVehicleInOtherCampaigns } from './api'
import { InvalidCheckDigitHint } from './InvalidCheckDigitHint'
import { useInspectionText } from './text'
import type { VehicleLookup } from './useVehicleLookup'
import styles from './IdentificationResultMessage.module.css'

const FEW = 3
const LISTED = 4

interface ScanResultProps {
  vehicle: Vehicle
  yard: number | null
  entered: string
  scanned: boolean
  identified: boolean
  lookup: VehicleLookup
  /** Called when a text matches several vehicles and the person picks the vehicle whose page is open. */
  onThis: () => void
}

/**
 * Shows the vehicle that a scanned or typed text identifies. The result is the vehicle being inspected, another vehicle of the campaign
 * with its parking space, a vehicle of another campaign, or none.
 */
export function IdentificationResultMessage({ vehicle, yard, entered, scanned, identified, lookup, onThis }: ScanResultProps) {
  const t = useInspectionText()
  if (identified) {
    return vehicle.inspected ? (
      <Alert kind="info">
        <p>{t('scan.rightDone')}</p>
        <VehicleStatusBadge status={vehicle.status} />
      </Alert>
    ) : (
      <Alert kind="success">{t('vehicle.matches')}</Alert>
    )
  }
  if (toIdentifierKey(entered) === '') return null
  if (entered.trim().length <= FEW) return <p className="quiet">{t('vehicle.noMatchYet')}</p>
  const found = scanned ? lookup.findScanned(entered) : lookup.find(entered)
  if (found === null) {
    if (lookup.isError) return <Alert kind="warning">{t('scan.unknownOffline', { text: entered, vin: vehicle.vin_number })}</Alert>
    return <p className="quiet" role="status">{t('vehicle.searching')}</p>
  }
  if (found.kind === 'none') return <Unknown vehicle={vehicle} entered={entered} scanned={scanned} />
  const vehicles = found.kind === 'one' ? [found.vehicle] : found.vehicles
  const words = {
    one: t(vehicles[0]?.inspected ? 'scan.elsewhereDone' : 'vehicle.isAnother'),
    several: vehicles.some(({ id }) => id === vehicle.id) ? t('scan.several') : t('vehicle.areOthers', { n: vehicles.length }),
    lookAlike: t('scan.lookAlike'),
    part: t('scan.part'),
  }
  return (
    <Alert kind={found.kind === 'one' && vehicles[0]?.inspected ? 'info' : 'warning'}>
      <p>{words[found.kind]}</p>
      <Choices>
        {vehicles.slice(0, LISTED).map((other) => (
          <Other key={other.id} other={other} yard={yard} onThis={other.id === vehicle.id ? onThis : undefined} />
        ))}
      </Choices>
      {vehicles.length > LISTED && <p>{t('scan.more', { n: vehicles.length - LISTED })}</p>}
    </Alert>
  )
}

const Choices = ({ children }: { children: ReactNode }) => <ul className={styles.others}>{children}</ul>

interface OtherProps {
  other: { id: number; vin_number: string; parking_space: string; status: string; inspected: boolean }
  yard: number | null
  /** Called when the person picks the vehicle whose page is open. Absent for any other vehicle, which opens its own page instead. */
  onThis?: () => void
}

/** Matched vehicle with parking space and status. A tap opens the vehicle's page or, if that page is already open, selects the vehicle. */
function Other({ other, yard, onThis }: OtherProps) {
  const t = useInspectionText()
  const words = (
    <>
      <MonospaceVin vin={other.vin_number} />
      <span>{t(onThis === undefined ? 'vehicle.standsAt' : 'scan.at', { space: other.parking_space })}</span>
    </>
  )
  return (
    <li>
      {onThis === undefined ? (
        <Link href={buildPath(`/vehicle/${other.id}`, { yard })} className={styles.other}>
          {words}
        </Link>
      ) : (
        <button type="button" className={styles.other} onClick={onThis}>
          {words}
        </button>
      )}
      {other.inspected && <VehicleStatusBadge status={other.status} />}
    </li>
  )
}

/** Message for a text that matches no vehicle of the campaign. When online, also names another open campaign that contains the vehicle. */
function Unknown({ vehicle, entered, scanned }: { vehicle: Vehicle; entered: string; scanned: boolean }) {
  const t = useInspectionText()
  const others = useFindVehicleInOtherCampaigns(entered, vehicle.campaign_id, toIdentifierKey(entered).length > FEW)
  return (
    <Alert kind="warning">
      <p>{scanned ? t('scan.unknown', { text: entered }) : t('vehicle.notInCampaign', { vin: vehicle.vin_number })}</p>
      <InvalidCheckDigitHint text={entered} />
      {others.isLoading && <p className="quiet">{t('scan.askingOthers')}</p>}
      {others.data && (
        <>
          <p>{t('scan.otherCampaign', { name: others.data.campaign })}</p>
          <Choices>
            <Other other={others.data.vehicle} yard={null} />
          </Choices>
        </>
      )}
      {others.data === null && <p className="quiet">{t('scan.nowhere')}</p>}
    </Alert>
  )
}
