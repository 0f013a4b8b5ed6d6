import { useContext, useEffect, useRef } from 'react'
import type { Vehicle } from '@/api/types'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { SidePaneContext } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { useInspectionText } from './text'
import type { NextVehicleDelay } from './useAfterSaveNavigation'
import styles from './SavedNotice.module.css'

interface SavedNoticeProps {
  vehicle: Vehicle
  status: string
  delay: NextVehicleDelay
  /** Next vehicle to inspect; `undefined` until it is loaded. */
  next: Vehicle | undefined
  /**
   * Whether the person can correct only the notes, because the vehicle has a stored status. Only supervisors can freely change a stored
   * status.
   */
  correctsNotes: boolean
  onGo: () => void
  /** Stops the delay, so that the next vehicle opens only on request. */
  onStay: () => void
  /** Opens the form of the saved vehicle again. */
  onCorrect: () => void
}

/**
 * Notice between a save and the next vehicle. Shows the saved status with a button to correct the save, the parking space of the next
 * vehicle, and a bar that runs until that vehicle opens.
 */
export function SavedNotice({ vehicle, status, delay: { isQueued, ms }, next, correctsNotes, onGo, onStay, onCorrect }: SavedNoticeProps) {
  const t = useInspectionText()
  const inPane = useContext(SidePaneContext)
  const go = useRef<HTMLDivElement>(null)
  useEffect(() => go.current?.querySelector('button')?.focus({ preventScroll: true }), [])
  return (
    <div className={styles.saved} data-pane={inPane || undefined}>
      <div className={styles.content}>
        <div className={styles.message} role="status" aria-live="polite">
          <div data-kind="success">
            <span className={styles.sign}><Icon name="check" size={40} /></span>
            <p>{t(isQueued ? 'vehicle.keptNext' : 'vehicle.savedNext')}</p>
          </div>
        </div>
        <div className={styles.what}>
          <MonospaceVin vin={vehicle.vin_number} />
          <VehicleStatusBadge status={status} />
          <Button icon="pencil" onFocus={onStay} onClick={onCorrect}>{t(correctsNotes ? 'vehicle.correctNotes' : 'vehicle.correct')}</Button>
        </div>
        {next && (
          <div className={styles.next}>
            <p className="quiet">{t('walk.next')}</p>
            {next.parking_space.trim() !== '' && <ParkingSpaceSign space={next.parking_space} size="large" />}
            <MonospaceVin vin={next.vin_number} />
          </div>
        )}
      </div>
      <div className={styles.bar} ref={go} data-bottom-bar>
        {ms !== null && <div className={styles.time} aria-hidden="true"><span ref={(bar) => bar?.style.setProperty('--ms', `${ms}ms`)} /></div>}
        <Button kind="primary" big wide onClick={onGo}>
          {t('vehicle.goNow')}
          <Icon name="right" size={24} />
        </Button>
      </div>
    </div>
  )
}
