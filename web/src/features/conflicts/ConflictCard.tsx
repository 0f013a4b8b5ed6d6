import type { Conflict } from '@/api/types'
import { Link } from '@/lib/route'
import type { Key } from '@/lib/text'
import { dateOf, timeOf } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { VehicleStatusBadge } from '@/ui/Status'
import { useConflictsText } from './text'
import styles from './ConflictsPage.module.css'

const LABELS: Record<Conflict['field'], Key> = {
  status: 'vehicles.status', operator_notes: 'vehicle.operatorNotes', admin_notes: 'vehicle.adminNotes', vin_number: 'vehicles.vin', parking_space: 'vehicles.space',
}
const SIDES = ['theirs', 'mine'] as const

interface ConflictCardProps {
  conflict: Conflict
  mayDecide: boolean
  busy: boolean
  error: string | null
  onTake: (choice: 'theirs' | 'mine') => void
}

/** One field with both values side by side, who said each and when, and a tap for the one that holds. */
export function ConflictCard({ conflict, mayDecide, busy, error, onTake }: ConflictCardProps) {
  const t = useConflictsText()
  const { vehicle_id, vin_number, campaign_name, field, base, state } = conflict
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <Link href={`/vehicle/${vehicle_id}`} className={`mono ${styles.vin}`}>
          {vin_number}
        </Link>
        <span className="quiet">{campaign_name}</span>
      </div>
      <h2>{t(LABELS[field])}</h2>
      <p className="quiet">{t('conflicts.seen', { value: base || t('conflicts.empty') })}</p>
      <div className={styles.sides}>
        {SIDES.map((side) => (
          <Side key={side} conflict={conflict} side={side} offer={state === 'open' && mayDecide} busy={busy} onTake={() => onTake(side)} />
        ))}
      </div>
      {state === 'open' && !mayDecide && <p className="quiet">{t('conflicts.onlySupervisor')}</p>}
      {error !== null && <Note kind="error">{error}</Note>}
    </li>
  )
}

interface SideProps {
  conflict: Conflict
  side: 'theirs' | 'mine'
  offer: boolean
  busy: boolean
  onTake: () => void
}

function Side({ conflict, side, offer, busy, onTake }: SideProps) {
  const t = useConflictsText()
  const value = conflict[side]
  const hmc = (side === 'mine' ? conflict.mine_by_hmc : conflict.theirs_by_hmc) ?? '?'
  const at = side === 'mine' ? conflict.mine_at : conflict.theirs_at
  const { device_time, state, shown, chosen, settled_by_hmc } = conflict
  return (
    <div className={styles.side} data-chosen={chosen === side || undefined}>
      <div className={styles.value}>{conflict.field === 'status' ? <VehicleStatusBadge status={value} /> : value || t('conflicts.empty')}</div>
      {at && <p className="quiet">{t('conflicts.when', { hmc, date: dateOf(at), time: timeOf(at) })}</p>}
      {side === 'mine' && device_time && <p className="quiet">{t('conflicts.phoneTime', { date: dateOf(device_time), time: timeOf(device_time) })}</p>}
      {state === 'open' && shown === side && <p className={styles.mark}>{t('conflicts.shown')}</p>}
      {chosen === side && <p className={styles.mark}>{t('conflicts.chosen', { hmc: settled_by_hmc ?? '?' })}</p>}
      {offer && (
        <Button big wide kind="secondary" busy={busy} aria-label={t('conflicts.takeLabel', { value: value || t('conflicts.empty'), hmc, vin: conflict.vin_number })} onClick={onTake}>
          {t('conflicts.take')}
        </Button>
      )}
    </div>
  )
}
