import { readPlace, type Place } from '@/lib/resume'
import { ownerOf, useSession } from '@/api/session'
import { wordsFor } from '@/api/problem'
import { mayManage } from '@/lib/roles'
import { Link, link, pageFrom, setQuery, useQueryParams } from '@/lib/route'
import { pageCount } from '@/lib/pages'
import { useText } from '@/lib/text'
import { LinkButton } from '@/ui/Button'
import { CampaignTable } from '@/ui/CampaignTable'
import { Icon } from '@/ui/Icon'
import { Empty, Failure, Page, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { Steps } from '@/ui/Progress'
import { SearchBox } from '@/ui/SearchBox'
import { Choice } from '@/ui/Choice'
import { useCampaigns, usePaces, useYardsProgress } from './api'
import { PaceStrip } from './PaceStrip'
import { OpenConflicts } from './OpenConflicts'
import { Unsent } from './Unsent'
import { YardStrip, YardStripSkeleton } from './YardStrip'
import styles from './HomePage.module.css'

const SEARCH_REST = 250

/** Home and campaign picker, step 1 of 3. */
export default function HomePage() {
  const t = useText()
  const session = useSession()
  const manages = mayManage(session?.user.user_type ?? '')
  const place = session === null ? null : readPlace(ownerOf(session.user))
  return (
    <Page title={t('home.title')}>
      <Steps current={1} first="campaign" />
      {place && <Resume place={place} />}
      <Dashboard />
      <Choice label={t('home.startWith')} choices={[
        { text: t('home.byCampaign'), to: '/campaign-home', current: true },
        { text: t('home.byYard'), to: '/yard', current: false },
      ]} />
      <Campaigns manages={manages} />
      {manages && (
        <LinkButton to="/import" icon="plus">
          {t('home.create')}
        </LinkButton>
      )}
    </Page>
  )
}

function Campaigns({ manages }: { manages: boolean }) {
  const t = useText()
  const query = useQueryParams()
  const page = pageFrom(query)
  const search = query.get('search') ?? ''
  const campaigns = useCampaigns({ page: page - 1, search })
  const rows = campaigns.data?.campaigns
  const paces = usePaces(rows?.map(({ id }) => id) ?? [])
  return (
    <>
      <SearchBox label={t('campaigns.search')} value={search} rest={SEARCH_REST} onChange={(text) => setQuery({ search: text, page: null })} />
      {campaigns.isError && <Failure text={t('campaigns.failed', { why: wordsFor(campaigns.error, t) })} onRetry={() => void campaigns.refetch()} />}
      {campaigns.isPending && <Skeleton rows={5} height={92} label={t('common.loading')} />}
      {campaigns.data?.meta.total_count === 0 && (
        <Empty icon="list" text={search === '' ? t(manages ? 'campaigns.noneManager' : 'campaigns.none') : t('campaigns.noMatch', { search })} />
      )}
      <Unsent n={rows?.reduce((sum, { unsent }) => sum + unsent, 0) ?? 0} />
      {rows && rows.length > 0 && <CampaignTable campaigns={rows} hrefOf={({ id }) => link('/yard', { campaign: id })} />}
      {campaigns.data && <Pager page={page} pages={pageCount(campaigns.data.meta.total_count)} onPage={(next) => setQuery({ page: next })} />}
      {manages && <OpenConflicts />}
      <PaceStrip paces={paces} nameOf={(id) => rows?.find((row) => row.id === id)?.name ?? ''} />
    </>
  )
}

/** How far all yards are; its place is kept while nobody knows. */
function Dashboard() {
  const yards = useYardsProgress()
  if (yards.isPending) return <YardStripSkeleton summed />
  return <YardStrip summed yards={yards.data ?? []} hrefOf={({ id }) => `/yard/${id}`} />
}

/** One tap back to where one left off. */
function Resume({ place }: { place: Place }) {
  const t = useText()
  return (
    <Link href={place.path} className={styles.resume}>
      <Icon name="play" />
      <span className={styles.where}>
        <strong>{t('home.resume')}</strong>
        <span className="ellipsis">
          <span className="mono">{place.vin}</span> · {place.space} · {place.campaign}
        </span>
      </span>
      <Icon name="right" />
    </Link>
  )
}
