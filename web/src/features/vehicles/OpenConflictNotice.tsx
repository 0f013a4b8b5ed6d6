import { CONFLICT_SIDES, getConflictSideValue, mayResolveConflict, useOpenConflicts, useResolveConflict, type ConflictSide } from '@/api/conflicts'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import type { FieldConflict, Vehicle } from '@/api/types'
import { isNoteField, VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import { formatDate, formatTime } from '@/lib/format'
import { mayManageCampaigns } from '@/lib/roles'
import { buildPath } from '@/lib/route'
import { Button, LinkButton } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { VehicleStatusBadge } from '@/ui/Status'
import { showToast } from '@/ui/Toast'
import { useInspectionText } from './text'
import styles from './OpenConflictNotice.module.css'

/**
 * Notice of the open conflicts on this vehicle. People who may resolve a conflict see both values with author and time, and keep one of
 * them. Operators only read that the values are in conflict.
 */
export function OpenConflictNotice({ vehicle }: { vehicle: Vehicle }) {
  const t = useInspectionText()
  const userType = useSession()?.user.user_type ?? ''
  const manages = mayManageCampaigns(userType)
  const isOpen = vehicle.open_conflicts > 0
  const conflicts = useOpenConflicts(vehicle.campaign_id, isOpen && manages)
  const resolve = useResolveConflict()
  if (!isOpen) return null
  if (!manages) {
    return (
      <Alert kind="warning">
        <h2>{t('vehicle.conflictTitle')}</h2>
        <p>{t('vehicle.openConflict')}</p>
      </Alert>
    )
  }
  const own = conflicts?.conflicts.filter(({ vehicle_id, field }) => vehicle_id === vehicle.id && mayResolveConflict(userType, field)) ?? []
  const take = (conflict: FieldConflict, choice: ConflictSide) =>
    resolve.mutate({ conflict, choice }, { onSuccess: () => showToast('success', t('vehicle.conflictDone')) })
  const isLate = resolve.error instanceof ApiProblem && resolve.error.status === 409
  return (
    <Alert kind="warning">
      <h2>{t('vehicle.conflictTitle')}</h2>
      {own.map((conflict) => (
        <Question key={conflict.id} conflict={conflict} busy={resolve.isPending} onResolve={(choice) => take(conflict, choice)} />
      ))}
      {own.length < vehicle.open_conflicts && (
        <div className={styles.elsewhere}>
          <p>{t('vehicle.openConflictHere')}</p>
          <LinkButton to={buildPath('/conflicts', { campaign: vehicle.campaign_id })}>{t('vehicle.decide')}</LinkButton>
        </div>
      )}
      {resolve.error !== null && <p role="alert">{isLate ? t('vehicle.conflictLate') : getErrorMessage(resolve.error, t)}</p>}
    </Alert>
  )
}

interface QuestionProps {
  conflict: FieldConflict
  busy: boolean
  onResolve: (choice: ConflictSide) => void
}

/** Both values of a conflict side by side, each with its author, its time and a button that keeps it. */
function Question({ conflict, busy, onResolve }: QuestionProps) {
  const t = useInspectionText()
  return (
    <div className={styles.question}>
      <h3>{t(VEHICLE_FIELD_LABELS[conflict.field])}</h3>
      {CONFLICT_SIDES.map((side) => (
        <Side key={side} conflict={conflict} side={side} busy={busy} onKeep={() => onResolve(side)} />
      ))}
    </div>
  )
}

interface SideProps {
  conflict: FieldConflict
  side: ConflictSide
  busy: boolean
  onKeep: () => void
}

/** One value of a conflict. The button of a note names the author, because a note is too long for a button. */
function Side({ conflict, side, busy, onKeep }: SideProps) {
  const t = useInspectionText()
  const { field } = conflict
  const { value, hmc } = getConflictSideValue(conflict, side)
  const at = side === 'mine' ? conflict.mine_at : conflict.theirs_at
  const named = value || t(field === 'status' ? 'status.none' : 'conflict.empty')
  return (
    <div className={styles.side}>
      <div className={styles.value}>{field === 'status' ? <VehicleStatusBadge status={value} /> : named}</div>
      <p className={styles.saved}>
        <span>{hmc}</span>
        {at && <time dateTime={at}>{formatDate(at)} {formatTime(at)}</time>}
      </p>
      <Button wide busy={busy} onClick={onKeep}>
        {isNoteField(field) ? t('vehicle.keepOf', { hmc }) : t('vehicle.keep', { value: named })}
      </Button>
    </div>
  )
}
