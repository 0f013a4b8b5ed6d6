import { CONFLICT_SIDES } from '@/api/conflicts'
import { VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import { Link } from '@/lib/route'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { Alert } from '@/ui/Page'
import { ContentOrMessage, VehicleParkingSpaceSign, ConflictSideView, ConflictBaseValue, type ConflictProps } from './ConflictParts'
import { useConflictsText } from './text'
import styles from './ConflictCard.module.css'

/** Card of one conflict: both values with their authors and times, and a button to keep either value. */
export function ConflictCard({ error, ...rest }: ConflictProps) {
  const t = useConflictsText()
  const { conflict, mayDecide, outcome } = rest
  const { vehicle_id, vin_number, field, state } = conflict
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <VehicleParkingSpaceSign vehicle={vehicle_id} />
        <Link href={`/vehicle/${vehicle_id}`} className={styles.vin}>
          <MonospaceVin vin={vin_number} />
        </Link>
      </div>
      <h3>{t(VEHICLE_FIELD_LABELS[field])}</h3>
      <ConflictBaseValue conflict={conflict} />
      <div className={styles.sides}>
        {CONFLICT_SIDES.map((side) => (
          <ConflictSideView key={side} side={side} {...rest} />
        ))}
      </div>
      {state === 'open' && !mayDecide && (
        <ContentOrMessage message={outcome === null ? null : t('conflicts.ended')}>
          <p className="quiet">{t('conflicts.onlySupervisor')}</p>
        </ContentOrMessage>
      )}
      {error !== null && <Alert kind="error">{error}</Alert>}
    </li>
  )
}
