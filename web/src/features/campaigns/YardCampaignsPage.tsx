import { useParams } from 'wouter'
import { wordsFor } from '@/api/problem'
import type { Campaign } from '@/api/types'
import { useOrder } from '@/lib/order'
import { pageCount } from '@/lib/pages'
import { idFrom, Link, link, pageFrom, setQuery, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { LinkButton } from '@/ui/Button'
import { Tabs } from '@/ui/Choice'
import { Empty, Failure, Page, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { Progress, Steps } from '@/ui/Progress'
import { SearchBox } from '@/ui/SearchBox'
import { CampaignStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import { useCampaigns, useYardName } from './api'
import styles from './YardCampaignsPage.module.css'

const SEARCH_REST = 250

/** The campaigns of one yard: step 2 of 3, or the last one when the campaign was picked before the yard. */
export default function YardCampaignsPage() {
  const t = useText()
  const yard = idFrom(useParams<{ id: string }>().id) ?? 0
  const order = useOrder()
  const query = useQueryParams()
  const first = query.has('campaign') ? order : 'yard'
  const page = pageFrom(query)
  const search = query.get('campaign') ?? ''
  const tab = query.get('tab') === 'closed' ? 'closed' : 'ongoing'
  const campaigns = useCampaigns({ page: page - 1, search, status: tab, yard })
  const known = useYardName(yard)
  const name = known ?? campaigns.data?.meta.yard_name
  const rows = campaigns.data?.campaigns
  if (known === null && !name) {
    return (
      <Page title={t('yard.selectCampaign')}>
        <Empty icon="grid" text={t('problem.notFound')}>
          <LinkButton to="/yard">{t('yards.title')}</LinkButton>
        </Empty>
      </Page>
    )
  }
  return (
    <Page title={t('yard.selectCampaign')} subtitle={<p className={styles.yard}>{name ? t('yard.named', { name }) : '…'}</p>}>
      <Steps current={first === 'yard' ? 2 : 3} first={first} />
      <Tabs label={t('yard.tabs')} value={tab} onChange={(next) => setQuery({ tab: next === 'closed' ? next : null, page: null })} tabs={[
        { value: 'ongoing', text: t('yard.ongoing') },
        { value: 'closed', text: t('yard.closed') },
      ]} />
      <SearchBox label={t('campaigns.search')} value={search} rest={SEARCH_REST} onChange={(text) => setQuery({ campaign: text, page: null })} />
      {campaigns.isError && <Failure text={t('campaigns.failed', { why: wordsFor(campaigns.error, t) })} onRetry={() => void campaigns.refetch()} />}
      {campaigns.isPending && <Skeleton rows={3} height={140} label={t('common.loading')} />}
      {campaigns.data?.meta.total_count === 0 && <Empty icon="list" text={search === '' ? t('yard.none') : t('campaigns.noMatch', { search })} />}
      <ul className={styles.cards}>
        {rows?.map((campaign) => (
          <CampaignCard key={campaign.id} campaign={campaign} yard={yard} />
        ))}
      </ul>
      {campaigns.data && <Pager page={page} pages={pageCount(campaigns.data.meta.total_count)} onPage={(next) => setQuery({ page: next })} />}
    </Page>
  )
}

function CampaignCard({ campaign, yard }: { campaign: Campaign; yard: number }) {
  const t = useText()
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <Link href={link(`/campaign/${campaign.id}`, { yard })} className={table.rowLink}>
          {campaign.name}
        </Link>
        <CampaignStatusBadge status={campaign.status} />
      </div>
      <p className="quiet">
        {campaign.part} · {campaign.description}
      </p>
      <Progress label={t('campaigns.progressOf', { name: campaign.name })} done={campaign.total_inspected} total={campaign.total_vehicles} />
    </li>
  )
}
