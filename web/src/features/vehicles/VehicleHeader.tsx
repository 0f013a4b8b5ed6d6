import { useContext } from 'react'
import { createPortal } from 'react-dom'
import type { Vehicle } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { InlineEdit } from '@/ui/InlineEdit'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { useInspectionText } from './text'
import type { InspectionForm } from './useInspectionForm'
import { VehiclePaneContext } from './vehiclePane'
import styles from './VehicleHeader.module.css'

interface VehicleHeadProps {
  vehicle: Vehicle
  /**
   * Version of the vehicle whose stored status is shown. If another person changed fields of the draft, this is the version of the vehicle
   * before that change.
   */
  stored: Vehicle
  /** Next vehicle to inspect; `undefined` until it is loaded. */
  next: Vehicle | undefined
  inspection: InspectionForm
}

/**
 * Parking space and VIN of the vehicle to inspect. In the pane beside a list, both are shown in the head of the pane. On the vehicle's own
 * page, the header also shows the parking space of the next vehicle, and whether the vehicle to inspect is already inspected.
 */
export function VehicleHeader({ vehicle, stored, next, inspection }: VehicleHeadProps) {
  const t = useInspectionText()
  const pane = useContext(VehiclePaneContext)
  // A phone has room for the label only on a line of its own, which the statuses need.
  const isPhone = useMediaQuery('(max-width: 599px)')
  if (pane !== null) return pane.head && createPortal(<PaneHead vehicle={vehicle} inspection={inspection} />, pane.head)
  return (
    <div className={styles.place}>
      <ParkingSpaceSign space={vehicle.parking_space} size="page" />
      <div className={styles.beside}>
        <MonospaceVin vin={vehicle.vin_number} />
        {stored.inspected && !inspection.identified && (
          <span className={styles.inspected}>
            <span className={isPhone ? 'sr-only' : undefined}>{t('vehicle.alreadyInspected')}</span> <VehicleStatusBadge status={stored.status} inspected />
          </span>
        )}
        {next && (
          <span className={styles.next}>
            {t('walk.next')} <NextVehicleSign next={next} space={vehicle.parking_space} />
          </span>
        )}
      </div>
    </div>
  )
}

/**
 * Parking space of the next vehicle. Also shows the last four characters of the VIN when the space is empty or equals `space`, the space of
 * the current vehicle.
 */
function NextVehicleSign({ next: { parking_space, vin_number }, space }: { next: Vehicle; space: string }) {
  const hasSpace = parking_space.trim() !== ''
  return (
    <>
      {hasSpace && <ParkingSpaceSign space={parking_space} size="small" />}
      {(!hasSpace || parking_space === space) && <MonospaceVin vin={vin_number.slice(-4)} />}
    </>
  )
}

function PaneHead({ vehicle, inspection }: Omit<VehicleHeadProps, 'next' | 'stored'>) {
  if (inspection.supervisor && !inspection.closed) {
    return (
      <>
        <InlineParkingSpaceEdit inspection={inspection} asSign />
        <InlineVinEdit inspection={inspection} />
      </>
    )
  }
  return (
    <>
      <ParkingSpaceSign space={vehicle.parking_space} size="small" />
      <MonospaceVin vin={vehicle.vin_number} />
    </>
  )
}

const isIdentifier = (text: string) => /^\S+ \S+$/.test(text)
const isFilled = (text: string) => text.trim() !== ''

/** VIN that a supervisor can edit. */
export function InlineVinEdit({ inspection: { entry, change } }: { inspection: InspectionForm }) {
  const t = useInspectionText()
  return (
    <InlineEdit label={t('vehicles.vin')} value={entry.vin_number} mono isValid={isIdentifier} message={t('vehicle.vinFormat')} onSave={(vin_number) => change({ vin_number })}>
      <MonospaceVin vin={entry.vin_number} />
    </InlineEdit>
  )
}

/** Parking space that a supervisor can edit. With `asSign`, the value looks like the sign of a parking space. */
export function InlineParkingSpaceEdit({ inspection: { entry, change }, asSign = false }: { inspection: InspectionForm; asSign?: boolean }) {
  const t = useInspectionText()
  return (
    <InlineEdit label={t('vehicles.space')} value={entry.parking_space} isValid={isFilled} message={t('vehicle.spaceFormat')} onSave={(parking_space) => change({ parking_space })}>
      {asSign && <ParkingSpaceSign space={entry.parking_space} size="small" />}
    </InlineEdit>
  )
}
