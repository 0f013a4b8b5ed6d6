import { useParams } from 'wouter'
import { getErrorMessage } from '@/api/apiProblem'
import type { Campaign } from '@/api/types'
import { usePickerStepOrder } from '@/lib/pickerStepOrder'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { parseId, Link, buildPath, parsePageNumber, setQueryParams, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { LinkButton } from '@/ui/Button'
import { FilterTabs } from '@/ui/LinkTabs'
import { EmptyState, ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { PrintedRangeLine } from '@/ui/PrintedRangeLine'
import { ProgressBar } from '@/ui/ProgressBar'
import { StepIndicator } from '@/ui/StepIndicator'
import { SearchBox } from '@/ui/SearchBox'
import { CampaignStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import { useCampaigns, useYardName } from './api'
import styles from './YardCampaignsPage.module.css'

const SEARCH_DEBOUNCE_MS = 250

/** Screen that lists the campaigns of one yard, the second of three steps to an inspection. */
export default function YardCampaignsPage() {
  const t = useText()
  const yard = parseId(useParams<{ id: string }>().id) ?? 0
  const order = usePickerStepOrder()
  const query = useQueryParams()
  const first = query.has('campaign') ? order : 'yardFirst'
  const page = parsePageNumber(query)
  const search = query.get('campaign') ?? ''
  const tab = query.get('tab') === 'closed' ? 'closed' : 'ongoing'
  const campaigns = useCampaigns({ page: page - 1, search, status: tab, yard, order: 'work' })
  const known = useYardName(yard)
  const name = known ?? campaigns.data?.meta.yard_name
  const rows = campaigns.data?.campaigns
  if (known === null && !name) {
    return (
      <Page title={t('yard.selectCampaign')}>
        <EmptyState icon="grid" text={t('problem.notFound')}>
          <LinkButton to="/yard">{t('yards.title')}</LinkButton>
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page title={t('yard.selectCampaign')} tabTitle={name ? t('yard.named', { name }) : undefined} subtitle={<p className={styles.yard}>{name ? t('yard.named', { name }) : '…'}</p>}>
      <StepIndicator current={2} first={first} />
      <FilterTabs label={t('yard.tabs')} value={tab} onChange={(next) => setQueryParams({ tab: next === 'closed' ? next : null, page: null })} tabs={[
        { value: 'ongoing', text: t('yard.ongoing') },
        { value: 'closed', text: t('yard.closed') },
      ]} />
      <SearchBox label={t('campaigns.search')} value={search} debounceMs={SEARCH_DEBOUNCE_MS} onChange={(text) => setQueryParams({ campaign: text, page: null })} />
      {campaigns.isError && <ErrorNotice text={t('campaigns.failed', { why: getErrorMessage(campaigns.error, t) })} onRetry={() => void campaigns.refetch()} />}
      {campaigns.isPending && <Skeleton rows={3} height={140} label={t('common.loading')} onRetry={() => void campaigns.refetch()} />}
      {campaigns.data?.meta.total_count === 0 && <EmptyState icon="list" text={search === '' ? t('yard.none') : t('campaigns.noMatch', { search })} />}
      {campaigns.data && <PrintedRangeLine from={(page - 1) * PAGE_SIZE} count={campaigns.data.campaigns.length} total={campaigns.data.meta.total_count} />}
      <ul className={styles.cards}>
        {rows?.map((campaign) => (
          <CampaignCard key={campaign.id} campaign={campaign} yard={yard} />
        ))}
      </ul>
      {campaigns.data && <Pager page={page} pages={countPages(campaigns.data.meta.total_count)} onPage={(next) => setQueryParams({ page: next })} />}
    </Page>
  )
}

function CampaignCard({ campaign, yard }: { campaign: Campaign; yard: number }) {
  const t = useText()
  return (
    <li className={styles.card}>
      <Link href={buildPath(`/campaign/${campaign.id}`, { yard })} className={table.rowLink}>
        {campaign.name}
      </Link>
      <div>
        <CampaignStatusBadge status={campaign.status} />
      </div>
      <p className={`${styles.problem} quiet`}>
        {campaign.part} · {campaign.description}
      </p>
      <ProgressBar label={t('campaigns.progressOf', { name: campaign.name })} done={campaign.total_inspected} total={campaign.total_vehicles} unknown={campaign.progress_unknown} ticks={32} />
    </li>
  )
}
