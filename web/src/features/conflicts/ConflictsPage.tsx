import { useQuery } from '@tanstack/react-query'
import { conflictsQuery, mayResolveConflict, useResolveConflict } from '@/api/conflicts'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import type { FieldConflict } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { parseId, setQueryParams, useQueryParams } from '@/lib/route'
import { formatCount } from '@/lib/time'
import { Tabs } from '@/ui/LinkTabs'
import { EmptyNotice, ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { ConflictCard } from './ConflictCard'
import { groupByCampaign, type ConflictProps } from './ConflictParts'
import { ConflictTable } from './ConflictTable'
import { useConflictsText } from './text'
import styles from './ConflictsPage.module.css'

/** Screen that lists conflicts and lets team leaders and supervisors resolve each in one tap. */
export default function ConflictsPage() {
  const t = useConflictsText()
  const query = useQueryParams()
  const state = query.get('tab') === 'settled' ? 'settled' : 'open'
  const campaign = parseId(query.get('campaign')) ?? undefined
  const conflicts = useQuery(conflictsQuery({ state, campaign }))
  const rows = conflicts.data?.conflicts
  return (
    <Page title={t('conflicts.title')} subtitle={<p className="quiet">{t('conflicts.explain')}</p>}>
      <Tabs label={t('conflicts.tabs')} value={state} onChange={(next) => setQueryParams({ tab: next === 'settled' ? next : null })} tabs={[
        { value: 'open', text: t('conflicts.open') },
        { value: 'settled', text: t('conflicts.settled') },
      ]} />
      {conflicts.isError && <ErrorNotice text={getErrorMessage(conflicts.error, t)} onRetry={() => void conflicts.refetch()} />}
      {conflicts.isPending && <Skeleton rows={3} height={180} label={t('common.loading')} />}
      {rows?.length === 0 && <EmptyNotice icon="check" text={t(state === 'open' ? 'conflicts.none' : 'conflicts.noneSettled')} />}
      {rows && rows.length > 0 && <ConflictList conflicts={rows} />}
      {rows && conflicts.data && conflicts.data.meta.total_count > rows.length && <p className="quiet">{t('conflicts.more', { n: formatCount(rows.length), total: formatCount(conflicts.data.meta.total_count) })}</p>}
    </Page>
  )
}

/** Conflicts by campaign: a table with keyboard shortcuts on wide screens, cards on phones. */
function ConflictList({ conflicts }: { conflicts: FieldConflict[] }) {
  const t = useConflictsText()
  const isWide = useMediaQuery('(min-width: 900px)')
  const userType = useSession()?.user.user_type ?? ''
  const settle = useResolveConflict()
  const failed = settle.error instanceof ApiProblem && settle.error.status === 409 ? t('conflicts.before') : settle.error && getErrorMessage(settle.error, t)
  const groups = groupByCampaign(conflicts)
  const propsOf = (conflict: FieldConflict): ConflictProps => ({
    conflict,
    mayDecide: mayResolveConflict(userType, conflict.field),
    busy: settle.isPending,
    error: settle.variables?.conflict.id === conflict.id ? failed : null,
    onResolve: (choice) => settle.mutate({ conflict, choice }, { onSuccess: () => showToast('success', t('conflicts.done', { vin: conflict.vin_number })) }),
  })
  if (isWide) {
    return (
      <>
        <p className={`quiet ${styles.keys}`}>{t('conflicts.keys')}</p>
        <ConflictTable groups={groups} propsOf={propsOf} />
      </>
    )
  }
  return groups.map(({ id, name, conflicts: own }) => (
    <section key={id} className={styles.group} aria-label={name}>
      <h2>
        {name} <span className="quiet">{own.length}</span>
      </h2>
      <ul className={styles.cards}>
        {own.map((conflict) => (
          <ConflictCard key={conflict.id} {...propsOf(conflict)} />
        ))}
      </ul>
    </section>
  ))
}
