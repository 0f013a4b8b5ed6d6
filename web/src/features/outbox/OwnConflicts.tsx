import { useQuery } from '@tanstack/react-query'
import { conflictsQuery } from '@/api/conflicts'
import type { FieldConflict } from '@/api/types'
import { useSession } from '@/api/session'
import { mayManageCampaigns } from '@/lib/roles'
import { buildPath } from '@/lib/route'
import { formatDate, formatTime } from '@/lib/time'
import { LinkButton } from '@/ui/Button'
import { OutboxCardList, OutboxCard, OutboxSection } from './OutboxCard'
import { useOutboxText } from './text'

/** Conflicts of the signed-in person: open conflicts, and resolved conflicts with the value that a supervisor or team leader kept. */
export function OwnConflicts() {
  const t = useOutboxText()
  const user = useSession()?.user
  const me = user?.hmc
  const mayResolve = mayManageCampaigns(user?.user_type ?? '')
  const conflicts = useQuery({ ...conflictsQuery({ mine: true }), retry: false }).data?.conflicts ?? []
  if (conflicts.length === 0) return null
  return (
    <OutboxSection title={t('outcomes.title')}>
      <OutboxCardList>
        {conflicts.map((conflict) => (
          <Outcome key={conflict.id} conflict={conflict} me={me} mayResolve={mayResolve} />
        ))}
      </OutboxCardList>
    </OutboxSection>
  )
}

function Outcome({ conflict, me, mayResolve }: { conflict: FieldConflict; me: string | undefined; mayResolve: boolean }) {
  const t = useOutboxText()
  const { vin_number, state, chosen, mine, theirs, mine_by_hmc, theirs_by_hmc, settled_by_hmc, settled_at } = conflict
  const iAmLater = mine_by_hmc === me
  const [own, others, other] = iAmLater ? [mine, theirs, theirs_by_hmc] : [theirs, mine, mine_by_hmc]
  const yours = (chosen === 'mine') === iAmLater
  const when = settled_at ? { date: formatDate(settled_at), time: formatTime(settled_at) } : { date: '', time: '' }
  return (
    <OutboxCard>
      <strong className="mono">{vin_number}</strong>
      <p>{t('outcomes.values', { own: own || '–', hmc: other ?? '?', others: others || '–' })}</p>
      {state === 'open' && mayResolve && <LinkButton to={buildPath('/conflicts', { campaign: conflict.campaign_id })}>{t('outcomes.resolve')}</LinkButton>}
      <p className="quiet">{state === 'open' ? t('outcomes.open') : t(yours ? 'outcomes.yours' : 'outcomes.theirs', { by: settled_by_hmc ?? '?', ...when })}</p>
    </OutboxCard>
  )
}
