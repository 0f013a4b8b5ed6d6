import { VEHICLE } from '@/api/shape'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { conflictsQuery } from '@/api/conflicts'
import { answer, http } from '@/api/client'
import { keep, refreshCountsSoon } from '@/api/outbox'
import { Problem, wordsFor } from '@/api/problem'
import { useSession } from '@/api/session'
import type { Conflict } from '@/api/types'
import { isSupervisor } from '@/lib/roles'
import { idFrom, setQuery, useQueryParams } from '@/lib/route'
import { Tabs } from '@/ui/Choice'
import { Empty, Failure, Page, Skeleton } from '@/ui/Page'
import { toast } from '@/ui/Toast'
import { ConflictCard } from './ConflictCard'
import { useConflictsText } from './text'
import styles from './ConflictsPage.module.css'

/** What two inspectors said differently, to be settled in one tap. */
export default function ConflictsPage() {
  const t = useConflictsText()
  const query = useQueryParams()
  const state = query.get('tab') === 'settled' ? 'settled' : 'open'
  const campaign = idFrom(query.get('campaign')) ?? undefined
  const conflicts = useQuery(conflictsQuery({ state, campaign }))
  const rows = conflicts.data?.conflicts
  return (
    <Page title={t('conflicts.title')} subtitle={<p className="quiet">{t('conflicts.explain')}</p>} narrow>
      <Tabs label={t('conflicts.tabs')} value={state} onChange={(next) => setQuery({ tab: next === 'settled' ? next : null })} tabs={[
        { value: 'open', text: t('conflicts.open') },
        { value: 'settled', text: t('conflicts.settled') },
      ]} />
      {conflicts.isError && <Failure text={wordsFor(conflicts.error, t)} onRetry={() => void conflicts.refetch()} />}
      {conflicts.isPending && <Skeleton rows={3} height={180} label={t('common.loading')} />}
      {rows?.length === 0 && <Empty icon="check" text={t(state === 'open' ? 'conflicts.none' : 'conflicts.noneSettled')} />}
      {rows && rows.length > 0 && <Cards conflicts={rows} />}
    </Page>
  )
}

const FREE = ['status', 'operator_notes']

function Cards({ conflicts }: { conflicts: Conflict[] }) {
  const t = useConflictsText()
  const supervisor = isSupervisor(useSession()?.user.user_type ?? '')
  const settle = useSettle()
  const failed = settle.error instanceof Problem && settle.error.status === 409 ? t('conflicts.before') : settle.error && wordsFor(settle.error, t)
  return (
    <ul className={styles.cards}>
      {conflicts.map((conflict) => (
        <ConflictCard key={conflict.id} conflict={conflict} mayDecide={supervisor || FREE.includes(conflict.field)} busy={settle.isPending}
          error={settle.variables?.conflict.id === conflict.id ? failed : null}
          onTake={(choice) => settle.mutate({ conflict, choice }, { onSuccess: () => toast('success', t('conflicts.done', { vin: conflict.vin_number })) })} />
      ))}
    </ul>
  )
}

function useSettle() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ conflict, choice }: { conflict: Conflict; choice: 'theirs' | 'mine' }) =>
      answer(http.POST('/conflicts/{id}/settle', { params: { path: { id: conflict.id } }, body: { choice } }), VEHICLE),
    onSuccess: (vehicle) => keep(queries, vehicle, null),
    onSettled: () => {
      refreshCountsSoon(queries)
      return queries.invalidateQueries({ queryKey: ['conflicts'] })
    },
  })
}
