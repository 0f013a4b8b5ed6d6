import { useQuery } from '@tanstack/react-query'
import { conflictsQuery, mayResolveConflict } from '@/api/conflicts'
import type { FieldConflict } from '@/api/types'
import { useSession } from '@/api/session'
import { buildPath } from '@/lib/route'
import { formatDate, formatTime } from '@/lib/format'
import { OPERATOR_EDITABLE_FIELDS, VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import { vehicleQuery } from '@/offline/queries'
import { LinkButton } from '@/ui/Button'
import { VehicleStatusBadge } from '@/ui/Status'
import { OutboxCardList, OutboxCard, OutboxCardVehicle, OutboxSection } from './OutboxLayout'
import { useOutboxText } from './text'
import styles from './OwnConflictList.module.css'

/** Conflicts of the signed-in person: open conflicts, and resolved conflicts with the value that a supervisor or team leader kept. */
export function OwnConflictList() {
  const t = useOutboxText()
  const user = useSession()?.user
  const conflicts = useQuery({ ...conflictsQuery({ mine: true }), retry: false }).data?.conflicts ?? []
  if (conflicts.length === 0) return null
  return (
    <OutboxSection title={t('outcomes.title')}>
      <OutboxCardList>
        {conflicts.map((conflict) => (
          <Outcome key={conflict.id} conflict={conflict} me={user?.hmc} userType={user?.user_type ?? ''} />
        ))}
      </OutboxCardList>
    </OutboxSection>
  )
}

const SPACE_FRESH_MS = 60_000

function Outcome({ conflict, me, userType }: { conflict: FieldConflict; me: string | undefined; userType: string }) {
  const t = useOutboxText()
  const { vehicle_id, vin_number, campaign_id, campaign_name, field, state, mine, theirs, mine_by_hmc, theirs_by_hmc } = conflict
  const iAmLater = mine_by_hmc === me
  const [own, others, other] = iAmLater ? [mine, theirs, theirs_by_hmc] : [theirs, mine, mine_by_hmc]
  const space = useQuery({ ...vehicleQuery(vehicle_id, null), staleTime: SPACE_FRESH_MS, retry: false }).data?.parking_space
  const mayResolve = state === 'open' && mayResolveConflict(userType, field)
  return (
    <OutboxCard>
      <div className={styles.outcome}>
        <div className={styles.what}>
          <OutboxCardVehicle space={space} vin={vin_number} />
          <p className="quiet">{campaign_name}</p>
          <h3>{t(VEHICLE_FIELD_LABELS[field])}</h3>
          <dl className={styles.values}>
            <dt>{t('outcomes.you')}</dt>
            <dd><Value field={field} value={own} /></dd>
            <dt>{other ?? '?'}</dt>
            <dd><Value field={field} value={others} /></dd>
          </dl>
          {!mayResolve && <p className="quiet"><StateText conflict={conflict} iAmLater={iAmLater} /></p>}
        </div>
        {mayResolve && <LinkButton to={buildPath('/conflicts', { campaign: campaign_id })}>{t('outcomes.resolve')}</LinkButton>}
      </div>
    </OutboxCard>
  )
}

/** Text that says who will resolve an open conflict, or who kept which value of a resolved conflict. */
function StateText({ conflict: { state, field, chosen, settled_by_hmc, settled_at }, iAmLater }: { conflict: FieldConflict; iAmLater: boolean }) {
  const t = useOutboxText()
  if (state === 'open') return t(OPERATOR_EDITABLE_FIELDS.includes(field) ? 'outcomes.open' : 'outcomes.openSupervisor')
  const isOwnKept = (chosen === 'mine') === iAmLater
  const when = settled_at ? { date: formatDate(settled_at), time: formatTime(settled_at) } : { date: '', time: '' }
  return t(isOwnKept ? 'outcomes.yours' : 'outcomes.theirs', { by: settled_by_hmc ?? '?', ...when })
}

/** One value of a conflict. An empty value is shown in words. */
function Value({ field, value }: Pick<FieldConflict, 'field'> & { value: string }) {
  const t = useOutboxText()
  return field === 'status' ? <VehicleStatusBadge status={value} /> : value || t('conflict.empty')
}
