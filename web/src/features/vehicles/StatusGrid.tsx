import { useState } from 'react'
import { refusal, STATUSES, type VehicleStatus } from '@/lib/status'
import { Icon } from '@/ui/Icon'
import { colourOf, shapeOf } from '@/ui/Status'
import { useScanText } from './text'
import styles from './VehiclePage.module.css'

interface StatusGridProps {
  role: string
  stored: string
  value: string
  onChange: (status: string) => void
}

/** The statuses as large buttons, the stored one marked; one that may not be chosen says why when it is tapped. */
export function StatusGrid({ role, stored, value, onChange }: StatusGridProps) {
  const t = useScanText()
  const [refused, setRefused] = useState<VehicleStatus | null>(null)
  const reason = refused === null ? null : refusal(role, stored, refused)

  const tap = (status: VehicleStatus) => {
    const no = refusal(role, stored, status) !== null
    setRefused(no ? status : null)
    if (no) return status === stored ? onChange(stored) : undefined
    onChange(status === value ? withdrawn(role, stored, value) : status)
  }
  return (
    <>
      <div className={styles.statuses} role="group" aria-label={t('vehicle.step3')}>
        {STATUSES.map((status) => (
          <button key={status} type="button" className={`${styles.status} ${colourOf(status)}`} aria-pressed={status === value} aria-current={status === stored || undefined}
            aria-disabled={refusal(role, stored, status) !== null} onClick={() => tap(status)}>
            <Icon name={shapeOf(status)} size={22} />
            {status}
            {status === stored && <span aria-hidden className={styles.current}>{t('status.current')}</span>}
          </button>
        ))}
      </div>
      {refused !== null && reason !== null && (
        <p className={styles.reason} role="status">
          {t(reason, { status: refused })}
        </p>
      )}
    </>
  )
}

/** A second tap takes the choice back; only a supervisor may also clear what is stored. */
function withdrawn(role: string, stored: string, value: string): string {
  if (value !== stored) return stored
  return role === 'admin' ? '' : stored
}
