import { CONFLICT_SIDES, getConflictSideValue, mayResolveConflict, useOpenConflicts, useResolveConflict, type ConflictSide } from '@/api/conflicts'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import type { FieldConflict, Vehicle } from '@/api/types'
import { isNoteField, VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import { mayManageCampaigns } from '@/lib/roles'
import { buildPath } from '@/lib/route'
import { Button, LinkButton } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { useInspectionText } from './text'
import styles from './OpenConflictNotice.module.css'

/**
 * Notice of the open conflicts on this vehicle. People who may resolve a conflict see both values, each with a button that keeps the
 * value. Operators only read that the values are in conflict.
 */
export function OpenConflictNotice({ vehicle }: { vehicle: Vehicle }) {
  const t = useInspectionText()
  const userType = useSession()?.user.user_type ?? ''
  const manages = mayManageCampaigns(userType)
  const isOpen = vehicle.open_conflicts > 0
  const conflicts = useOpenConflicts(vehicle.campaign_id, isOpen && manages)
  const resolve = useResolveConflict()
  if (!isOpen) return null
  if (!manages) return <Alert kind="warning"><p>{t('vehicle.openConflict')}</p></Alert>
  const own = conflicts?.conflicts.filter(({ vehicle_id, field }) => vehicle_id === vehicle.id && mayResolveConflict(userType, field)) ?? []
  const take = (conflict: FieldConflict, choice: ConflictSide) =>
    resolve.mutate({ conflict, choice }, { onSuccess: () => showToast('success', t('vehicle.conflictDone')) })
  const isLate = resolve.error instanceof ApiProblem && resolve.error.status === 409
  return (
    <Alert kind="warning" hasCentredIcon>
      {own.map((conflict) => (
        <Question key={conflict.id} conflict={conflict} busy={resolve.isPending} onResolve={(choice) => take(conflict, choice)} />
      ))}
      {own.length < vehicle.open_conflicts && (
        <div className={styles.question}>
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

/**
 * Both values of a conflict in one sentence, and for each value a button that keeps it. If the value is a note, the button names the
 * author, because a note is too long for a button.
 */
function Question({ conflict, busy, onResolve }: QuestionProps) {
  const t = useInspectionText()
  const { field } = conflict
  const [first, second] = [getConflictSideValue(conflict, 'theirs'), getConflictSideValue(conflict, 'mine')]
  const isNote = isNoteField(field)
  const named = (value: string) => (value === '' ? t(field === 'status' ? 'status.none' : 'conflict.empty') : isNote ? `"${value}"` : value)
  return (
    <div className={styles.question}>
      <p>
        {field !== 'status' && <strong>{t(VEHICLE_FIELD_LABELS[field])}: </strong>}
        {t('vehicle.conflictValues', { hmc: first.hmc, value: named(first.value), other: second.hmc, otherValue: named(second.value) })}
      </p>
      <div className={styles.sides}>
        {CONFLICT_SIDES.map((side) => {
          const { value, hmc } = getConflictSideValue(conflict, side)
          return (
            <Button key={side} busy={busy} onClick={() => onResolve(side)}>
              {isNote ? t('vehicle.keepOf', { hmc }) : t('vehicle.keep', { value: named(value) })}
            </Button>
          )
        })}
      </div>
    </div>
  )
}
