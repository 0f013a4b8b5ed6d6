import { useQuery } from '@tanstack/react-query'
import { conflictsQuery, mayResolveConflict } from '@/api/conflicts'
import type { FieldConflict } from '@/api/types'
import { useSession } from '@/api/session'
import { buildPath } from '@/lib/route'
import { formatDate, formatTime } from '@/lib/format'
import { OPERATOR_EDITABLE_FIELDS } from '@/lib/vehicleFields'
import { vehicleQuery } from '@/offline/queries'
import { LinkButton } from '@/ui/Button'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { OutboxCardList, OutboxCard, OutboxSection } from './OutboxLayout'
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
  const { vin_number, campaign_id, campaign_name, field, state, mine, theirs, mine_by_hmc, theirs_by_hmc } = conflict
  const iAmLater = mine_by_hmc === me
  const [own, others, other] = iAmLater ? [mine, theirs, theirs_by_hmc] : [theirs, mine, mine_by_hmc]
  const mayResolve = state === 'open' && mayResolveConflict(userType, field)
  return (
    <OutboxCard>
      <div className={styles.outcome}>
        <div className={styles.what}>
          <MonospaceVin vin={vin_number} />
          <p>{t('outcomes.values', { own: own || '–', hmc: other ?? '?', others: others || '–' })}</p>
          {!mayResolve && <p className="quiet"><StateText conflict={conflict} iAmLater={iAmLater} /></p>}
          <div className={`quiet ${styles.where}`}>
            <VehicleSpace vehicle={conflict.vehicle_id} />
            <span>{campaign_name}</span>
          </div>
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

/** Parking space of a vehicle, from the server or from this device. Empty while the space is unknown. */
function VehicleSpace({ vehicle }: { vehicle: number }) {
  const space = useQuery({ ...vehicleQuery(vehicle, null), staleTime: SPACE_FRESH_MS, retry: false }).data?.parking_space
  return space ? <ParkingSpaceSign space={space} size="small" /> : null
}
