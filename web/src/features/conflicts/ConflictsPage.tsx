import { useQuery } from '@tanstack/react-query'
import { conflictsQuery } from '@/api/conflicts'
import { getErrorMessage } from '@/api/apiProblem'
import type { FieldConflict } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { Link, parseId, setQueryParams, useQueryParams } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { FilterTabs } from '@/ui/LinkTabs'
import { EmptyState, ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { ConflictCard } from './ConflictCard'
import { countUnresolvedConflicts, groupConflictsByCampaign, type ConflictProps } from './ConflictParts'
import { ConflictTable } from './ConflictTable'
import { useConflictsText } from './text'
import { useConflictDecisions } from './useConflictDecisions'
import styles from './ConflictsPage.module.css'

type ConflictState = 'open' | 'settled'

/** Screen that lists conflicts and lets team leaders and supervisors resolve each in one tap. */
export default function ConflictsPage() {
  const t = useConflictsText()
  const query = useQueryParams()
  const state = query.get('tab') === 'settled' ? 'settled' : 'open'
  const campaign = parseId(query.get('campaign')) ?? undefined
  return (
    <Page title={t('conflicts.title')} titleMark={state === 'open' && <OpenCount campaign={campaign} />} subtitle={<p className="quiet">{t('conflicts.explain')}</p>}>
      <FilterTabs label={t('conflicts.tabs')} value={state} onChange={(next) => setQueryParams({ tab: next === 'settled' ? next : null })} tabs={[
        { value: 'open', text: t('conflicts.open') },
        { value: 'settled', text: t('conflicts.settled') },
      ]} />
      {campaign !== undefined && <p><span className="quiet">{t('conflicts.oneCampaign')}</span> <Link href={state === 'open' ? '/conflicts' : '/conflicts?tab=settled'} className={styles.all}>{t('conflicts.showAll')}</Link></p>}
      <ConflictResults key={`${state} ${campaign ?? ''}`} state={state} campaign={campaign} />
    </Page>
  )
}

/** Number of open conflicts, as a chip in the heading. */
function OpenCount({ campaign }: { campaign: number | undefined }) {
  const t = useConflictsText()
  const count = useQuery(conflictsQuery({ state: 'open', campaign })).data?.meta.total_count ?? 0
  return count > 0 && <> <span className={styles.count}>{t('conflicts.count', { n: formatCount(count) })}</span></>
}

/** Conflicts of one tab, or a message when there are none. A line below an incomplete list states how many of all conflicts are shown. */
function ConflictResults({ state, campaign }: { state: ConflictState; campaign: number | undefined }) {
  const t = useConflictsText()
  const conflicts = useQuery(conflictsQuery({ state, campaign }))
  const rows = conflicts.data?.conflicts ?? []
  const total = conflicts.data?.meta.total_count ?? 0
  const { shown, propsOf } = useConflictDecisions(rows, total <= rows.length)
  return (
    <>
      {conflicts.isError && <ErrorNotice text={getErrorMessage(conflicts.error, t)} onRetry={() => void conflicts.refetch()} />}
      {conflicts.isPending && <Skeleton rows={3} height={180} label={t('common.loading')} onRetry={() => void conflicts.refetch()} />}
      {conflicts.data && rows.length === 0 && <EmptyState icon="check" text={t(state === 'open' ? 'conflicts.none' : 'conflicts.noneSettled')} />}
      {rows.length > 0 && <ConflictList conflicts={state === 'open' ? shown : rows} propsOf={propsOf} />}
      {total > rows.length && <p className="quiet">{t('conflicts.more', { n: formatCount(rows.length), total: formatCount(total) })}</p>}
    </>
  )
}

interface ConflictListProps {
  conflicts: FieldConflict[]
  propsOf: (conflict: FieldConflict) => ConflictProps
}

/** Conflicts by campaign: a table with keyboard shortcuts on wide screens, cards on phones. */
function ConflictList({ conflicts, propsOf }: ConflictListProps) {
  const t = useConflictsText()
  const isWide = useMediaQuery('(min-width: 900px)')
  const groups = groupConflictsByCampaign(conflicts)
  if (isWide) {
    return (
      <>
        {conflicts.some(({ state }) => state === 'open') && <p className={`quiet ${styles.keys}`}>{t('conflicts.keys')}</p>}
        <ConflictTable groups={groups} propsOf={propsOf} />
      </>
    )
  }
  return groups.map(({ id, name, conflicts: own }) => (
    <section key={id} className={styles.group} aria-label={name}>
      <h2>
        {name} <span className="quiet">{countUnresolvedConflicts(own.map(propsOf))}</span>
      </h2>
      <ul className={styles.cards}>
        {own.map((conflict) => (
          <ConflictCard key={conflict.id} {...propsOf(conflict)} />
        ))}
      </ul>
    </section>
  ))
}
