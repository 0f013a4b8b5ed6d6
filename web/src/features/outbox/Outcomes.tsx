import { useQuery } from '@tanstack/react-query'
import { conflictsQuery } from '@/api/conflicts'
import type { Conflict } from '@/api/types'
import { useSession } from '@/api/session'
import { dateOf, timeOf } from '@/lib/time'
import { useOutboxText } from './text'
import styles from './OutboxPage.module.css'

/** What became of the fields that this person and another one changed at the same time. */
export function Outcomes() {
  const t = useOutboxText()
  const me = useSession()?.user.hmc
  const conflicts = useQuery({ ...conflictsQuery({ mine: true }), retry: false }).data?.conflicts ?? []
  if (conflicts.length === 0) return null
  return (
    <section className={styles.part} aria-label={t('outcomes.title')}>
      <h2>{t('outcomes.title')}</h2>
      <ul className={styles.entries}>
        {conflicts.map((conflict) => (
          <Outcome key={conflict.id} conflict={conflict} me={me} />
        ))}
      </ul>
    </section>
  )
}

function Outcome({ conflict, me }: { conflict: Conflict; me: string | undefined }) {
  const t = useOutboxText()
  const { vin_number, state, chosen, mine, theirs, mine_by_hmc, theirs_by_hmc, settled_by_hmc, settled_at } = conflict
  const iAmLater = mine_by_hmc === me
  const [own, others, other] = iAmLater ? [mine, theirs, theirs_by_hmc] : [theirs, mine, mine_by_hmc]
  const yours = (chosen === 'mine') === iAmLater
  const when = settled_at ? { date: dateOf(settled_at), time: timeOf(settled_at) } : { date: '', time: '' }
  return (
    <li className={styles.entry}>
      <strong className="mono">{vin_number}</strong>
      <p>{t('outcomes.values', { own: own || '–', hmc: other ?? '?', others: others || '–' })}</p>
      <p className="quiet">{state === 'open' ? t('outcomes.open') : t(yours ? 'outcomes.yours' : 'outcomes.theirs', { by: settled_by_hmc ?? '?', ...when })}</p>
    </li>
  )
}
