import type { QueryClient } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { readLastOpenedVehicle, type LastOpenedVehicle } from '@/lib/lastOpenedVehicle'
import { getDataOwnerKey, useSession } from '@/api/session'
import { getErrorMessage } from '@/api/apiProblem'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { mayManageCampaigns } from '@/lib/roles'
import { Link, buildPath, parsePageNumber, setQueryParams, useQueryParams } from '@/lib/route'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { useText } from '@/lib/text'
import { campaignPageQuery } from '@/offline/queries'
import { Button, LinkButton } from '@/ui/Button'
import { CampaignTable } from '@/ui/CampaignTable'
import { Icon } from '@/ui/Icon'
import { EmptyState, ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { PrintedRangeLine } from '@/ui/PrintedRangeLine'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { StepIndicator } from '@/ui/StepIndicator'
import { SearchBox } from '@/ui/SearchBox'
import { LinkTabs } from '@/ui/LinkTabs'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { useCampaigns, useCampaignsPendingReview, useInspectionPaces, useAllCampaignsActivity, useAllCampaignsYardProgress } from './api'
import { NeedsAttentionCard } from './NeedsAttentionCard'
import { ActivitySection } from './dashboard/ActivitySection'
import { InspectionPaceList } from './InspectionPaceList'
import { OwnKeyFigures } from './OwnKeyFigures'
import { PendingSavesLine } from './PendingSavesLine'
import { useCampaignsText } from './text'
import { YardProgressStrip, YardProgressSkeleton } from './YardProgressStrip'
import styles from './HomePage.module.css'

const SEARCH_DEBOUNCE_MS = 250

const readListSettings = (query: URLSearchParams) => ({ page: parsePageNumber(query) - 1, search: query.get('search') ?? '', order: 'work' as const })

export function prefetch(queries: QueryClient): void {
  // Without `meta`, a failure shows no message, because the page then fetches the campaigns again.
  void queries.prefetchQuery({ ...campaignPageQuery(readListSettings(new URLSearchParams(window.location.search))), meta: undefined })
}

/** Home screen with the campaign picker, the first of three steps to an inspection. On wide screens, the cards beside the list show what needs attention and who is working. */
export default function HomePage() {
  const t = useText()
  const words = useCampaignsText()
  const session = useSession()
  // Paper has the parts of a wide screen: charts that move to another column for printing would have to load again.
  const isWide = useMediaQuery('(min-width: 1100px), print')
  const isTablet = useMediaQuery('(min-width: 600px)') && !isWide
  const manages = mayManageCampaigns(session?.user.user_type ?? '')
  // A phone shows the list first. The cards below the list follow in a render that does not block taps.
  const showsCards = useDeferredValue(true, isWide)
  const place = session === null ? null : readLastOpenedVehicle(getDataOwnerKey(session.user))
  const query = useQueryParams()
  const settings = readListSettings(query)
  const campaigns = useCampaigns(settings)
  const [page, search] = [settings.page + 1, settings.search]
  const rows = campaigns.data?.campaigns
  // The cards beside the list describe the first campaigns of all, so that neither a search nor another page changes their figures.
  const first = useCampaigns({ page: 0, search: '', order: 'work' }).data?.campaigns
  const paces = useInspectionPaces(first?.filter(({ status }) => status !== 'Closed').map(({ id }) => id) ?? [])
  const toReview = useCampaignsPendingReview(manages)
  const activity = useAllCampaignsActivity(manages)
  const chart = manages && showsCards && (activity.data?.total ?? 1) > 0 && <ActivitySection isCampaign={false} query={activity} pace={paces.reduce((sum, { people, per_hour }) => sum + (people.length > 0 ? per_hour : 0), 0)} />
  const own = session !== null && !manages && <OwnKeyFigures paces={paces} />
  const create = manages && (
    <LinkButton to="/import" icon="plus" kind={isWide && place === null ? 'primary' : 'secondary'}>
      {t('home.create')}
    </LinkButton>
  )
  const steps = <StepIndicator current={1} first="campaignFirst" />
  return (
    <Page title={t('home.title')} subtitle={isWide && steps} besideTitle={isWide && create}>
      {place && <Resume place={place} />}
      {!isWide && own}
      {!isWide && steps}
      <div className={styles.columns}>
        <div className={styles.column}>
          {isWide && <Dashboard />}
          <div className={styles.tools}>
            <LinkTabs label={t('home.startWith')} choices={[
              { text: t('home.byCampaign'), to: '/campaign-home', current: true },
              { text: t('home.byYard'), to: '/yard', current: false },
            ]} />
            {isTablet && create}
            <SearchBox label={t('campaigns.search')} value={search} debounceMs={SEARCH_DEBOUNCE_MS} onChange={(text) => setQueryParams({ search: text, page: null })} />
          </div>
          {campaigns.isError && <ErrorNotice text={t('campaigns.failed', { why: getErrorMessage(campaigns.error, t) })} onRetry={() => void campaigns.refetch()} />}
          {campaigns.isPending && <Skeleton rows={5} className={styles.place} label={t('common.loading')} onRetry={() => void campaigns.refetch()} />}
          {campaigns.data?.meta.total_count === 0 && (
            <EmptyState icon="list" text={search === '' ? t(manages ? 'campaigns.noneManager' : 'campaigns.none') : t('campaigns.noMatch', { search })}>
              {search !== '' && <Button onClick={() => setQueryParams({ search: null, page: null })}>{words('campaigns.showAll')}</Button>}
            </EmptyState>
          )}
          <PendingSavesLine n={rows?.reduce((sum, { unsent }) => sum + unsent, 0) ?? 0} />
          {campaigns.data && <PrintedRangeLine from={(page - 1) * PAGE_SIZE} count={campaigns.data.campaigns.length} total={campaigns.data.meta.total_count} />}
          {rows && rows.length > 0 && <CampaignTable campaigns={rows} hrefOf={({ id }) => buildPath('/yard', { campaign: id })} />}
          {campaigns.data && <Pager page={page} pages={countPages(campaigns.data.meta.total_count)} onPage={(next) => setQueryParams({ page: next })} />}
          {isWide && chart}
        </div>
        <div className={styles.column}>
          {isWide && manages && campaigns.isPending && <Skeleton height={81} label={t('common.loading')} />}
          {showsCards && manages && first && <NeedsAttentionCard campaigns={first.filter(({ status }) => status !== 'Ready' && status !== 'Closed').map(({ id }) => id)} reviews={toReview.data} sources={[toReview]} />}
          {isWide && own}
          {!isWide && showsCards && <Dashboard />}
          {!isWide && chart}
          <InspectionPaceList manages={manages} paces={paces} nameOf={(id) => first?.find((row) => row.id === id)?.name ?? ''} />
          {!isWide && !isTablet && create}
        </div>
      </div>
    </Page>
  )
}

/** Progress of each yard over all campaigns. Shows a placeholder of the same height while loading. */
function Dashboard() {
  const yards = useAllCampaignsYardProgress()
  if (yards.isPending) return <YardProgressSkeleton summed />
  return <YardProgressStrip summed yards={yards.data ?? []} hrefOf={({ id }) => `/yard/${id}`} />
}

/** Link back to the vehicle that this person opened last. */
function Resume({ place }: { place: LastOpenedVehicle }) {
  const t = useText()
  return (
    <Link href={place.path} className={`${styles.resume} no-print`}>
      <ParkingSpaceSign space={place.space} size="small" />
      <span className={styles.where}>
        <strong>{t('home.resume')}</strong>
        <MonospaceVin vin={place.vin} />
        <span className="ellipsis" title={place.campaign}>{place.campaign}</span>
      </span>
      <Icon name="right" />
    </Link>
  )
}
