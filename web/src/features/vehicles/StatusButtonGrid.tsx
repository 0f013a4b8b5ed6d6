import { useId, useRef, type MouseEvent, type ToggleEvent } from 'react'
import { findStatusChangeError, VEHICLE_STATUSES, type StatusChangeErrorKey, type VehicleStatus } from '@/lib/vehicleStatus'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { getVehicleStatusClass, getVehicleStatusIcon, VehicleStatusBadge } from '@/ui/Status'
import { useInspectionText } from './text'
import styles from './StatusButtonGrid.module.css'

/** Time in milliseconds within which a second tap on the same status, common with gloves, is ignored as accidental. */
const BOUNCE_MS = 300

interface StatusGridProps {
  role: string
  stored: string
  value: string
  onChange: (status: string) => void
}

/**
 * Allowed statuses as large buttons, and the other statuses in a collapsed section, each with the reason why it is not allowed. A tap on the
 * selected status returns to the stored status. Supervisors clear a stored status with a separate button, to avoid clearing it by mistake.
 */
export function StatusButtonGrid({ role, stored, value, onChange }: StatusGridProps) {
  const t = useInspectionText()
  const last = useRef({ status: '', at: Number.NEGATIVE_INFINITY })
  const refusals = VEHICLE_STATUSES.map((status) => ({ status, reason: findStatusChangeError(role, stored, status) }))
  const allowed = refusals.filter(({ reason }) => reason === null)
  const others = refusals.flatMap(({ status, reason }) => (reason === null ? [] : { status, reason }))

  const tap = (status: VehicleStatus, event: MouseEvent) => {
    const isBounce = last.current.status === status && event.timeStamp - last.current.at < BOUNCE_MS
    last.current = { status, at: event.timeStamp }
    if (!isBounce) onChange(status === value ? stored : status)
  }
  return (
    <div className={styles.choice} role="group" aria-label={t('vehicle.step3')} tabIndex={-1}>
      <div className={styles.statuses}>
        {allowed.map(({ status }) => (
          <button key={status} type="button" className={`${styles.status} ${getVehicleStatusClass(status)}`} aria-pressed={status === value} data-print={status === value || undefined} aria-current={status === stored || undefined} aria-disabled={false} onClick={(event) => tap(status, event)}>
            <Icon name={getVehicleStatusIcon(status)} size={30} />
            <span>{status}</span>
            {status === stored && <span aria-hidden className={styles.current}>{t('status.current')}</span>}
          </button>
        ))}
      </div>
      {role === 'admin' && stored !== '' && value !== '' && <Button kind="quiet" onClick={() => onChange('')}>{t('status.clear')}</Button>}
      {others.length > 0 && (
        <details className={styles.others} onToggle={showOpened}>
          <summary>
            <span>{t('status.others')}</span>
            <span className={styles.names}>{others.map(({ status }) => status).filter((status) => status !== stored).join(', ')}</span>
            <Icon name="down" size={20} />
          </summary>
          <ul>
            {others.map(({ status, reason }) => (
              <Refused key={status} status={status} reason={reason} pressed={status === value} stored={status === stored} onTap={() => status === stored && onChange(stored)} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** Scrolls the opened section into view, only as far as needed. Scroll padding in the style sheets keeps the section above the save bar. */
function showOpened({ currentTarget, newState }: ToggleEvent<HTMLDetailsElement>): void {
  if (newState !== 'open') return
  currentTarget.scrollIntoView({ block: 'nearest', behavior: window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' })
}

interface RefusedProps {
  status: VehicleStatus
  reason: StatusChangeErrorKey
  pressed: boolean
  stored: boolean
  onTap: () => void
}

/**
 * Button of a status that is not allowed, with the reason. A tap has no effect, except on the vehicle's stored status, which is then
 * selected again.
 */
function Refused({ status, reason, pressed, stored, onTap }: RefusedProps) {
  const t = useInspectionText()
  const id = useId()
  return (
    <li>
      <button type="button" className={`${styles.refused} ${getVehicleStatusClass(status)}`} aria-label={status} aria-pressed={pressed} aria-current={stored || undefined} aria-disabled aria-describedby={id} onClick={onTap}>
        <VehicleStatusBadge status={status} />
        {stored && <span aria-hidden className={styles.current}>{t('status.current')}</span>}
      </button>
      <p id={id}>{t(reason, { status })}</p>
    </li>
  )
}
