import type { ReactNode } from 'react'
import type { Vehicle } from '@/api/types'
import { keyOf } from '@/lib/identifier'
import { Link, link } from '@/lib/route'
import { Note } from '@/ui/Page'
import { VehicleStatusBadge } from '@/ui/Status'
import { useOtherCampaigns } from './api'
import { useScanText } from './text'
import type { Finding } from './useFinding'
import styles from './VehiclePage.module.css'

const FEW = 3
const LISTED = 8

interface VerdictProps {
  vehicle: Vehicle
  yard: number | null
  entered: string
  scanned: boolean
  identified: boolean
  finding: Finding
}

/** Says what the entry stands for: this car, another one and where it is, one of another campaign, or nothing. */
export function Verdict({ vehicle, yard, entered, scanned, identified, finding }: VerdictProps) {
  const t = useScanText()
  if (identified) {
    return vehicle.inspected ? (
      <Note kind="info">
        <p>{t('scan.rightDone')}</p>
        <VehicleStatusBadge status={vehicle.status} />
      </Note>
    ) : (
      <Note kind="success">{t('vehicle.matches')}</Note>
    )
  }
  if (keyOf(entered) === '') return null
  if (entered.trim().length <= FEW) return <p className="quiet">{t('vehicle.noMatchYet')}</p>
  const found = finding.find(entered)
  if (found === null) {
    if (finding.isError) return <Note kind="warning">{t('scan.unknownOffline', { text: entered, vin: vehicle.vin_number })}</Note>
    return <p className="quiet" role="status">{t('vehicle.searching')}</p>
  }
  if (found.kind === 'none') return <Unknown vehicle={vehicle} entered={entered} scanned={scanned} />
  const vehicles = found.kind === 'one' ? [found.vehicle] : found.vehicles
  const words = {
    one: t(vehicles[0]?.inspected ? 'scan.elsewhereDone' : 'vehicle.isAnother'),
    several: t('vehicle.areOthers', { n: vehicles.length }),
    perhaps: t('scan.perhaps'),
  }
  return (
    <Note kind={found.kind === 'one' && vehicles[0]?.inspected ? 'info' : 'warning'}>
      <p>{words[found.kind]}</p>
      <Choices>
        {vehicles.slice(0, LISTED).map((other) => (
          <Other key={other.id} other={other} yard={yard} />
        ))}
      </Choices>
    </Note>
  )
}

const Choices = ({ children }: { children: ReactNode }) => <ul className={styles.others}>{children}</ul>

interface OtherProps {
  other: { id: number; vin_number: string; parking_space: string; status: string; inspected: boolean }
  yard: number | null
}

/** Another vehicle with where it stands and how it is; a tap opens it. */
function Other({ other, yard }: OtherProps) {
  const t = useScanText()
  return (
    <li>
      <Link href={link(`/vehicle/${other.id}`, { yard })} className={styles.other}>
        <span className="mono">{other.vin_number}</span>
        <span>{t('vehicle.standsAt', { space: other.parking_space })}</span>
      </Link>
      {other.inspected && <VehicleStatusBadge status={other.status} />}
    </li>
  )
}

/** Not in this campaign: perhaps in another one that is open. */
function Unknown({ vehicle, entered, scanned }: { vehicle: Vehicle; entered: string; scanned: boolean }) {
  const t = useScanText()
  const others = useOtherCampaigns(entered, vehicle.campaign_id, keyOf(entered).length > FEW)
  return (
    <Note kind="warning">
      <p>{scanned ? t('scan.unknown', { text: entered }) : t('vehicle.notInCampaign', { vin: vehicle.vin_number })}</p>
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
    </Note>
  )
}
