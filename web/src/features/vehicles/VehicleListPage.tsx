import type { QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useParams } from 'wouter'
import { getErrorMessage, isNotFoundError } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import type { ListedVehicle } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { mayManageCampaigns } from '@/lib/roles'
import { parseId, buildPath, setQueryParams } from '@/lib/route'
import { isYardWithoutName } from '@/lib/yards'
import { campaignQuery, vehicleListQuery } from '@/offline/queries'
import { useVehicleList } from '@/offline/useVehicleList'
import { LinkButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { EmptyState, ErrorNotice, Page, Spinner } from '@/ui/Page'
import { SearchBox } from '@/ui/SearchBox'
import { useCampaign } from './api'
import { CampaignHeading } from './CampaignHeading'
import { toggleStatusFilter, useVehicleListUrlState } from './useVehicleListUrlState'
import { useVehicleListText } from './listText'
import { StatusFilterChips } from './StatusFilterChips'
import { useFilteredVehicleRows } from './useFilteredVehicleRows'
import { VehicleListContent } from './VehicleListContent'
import styles from './VehicleListPage.module.css'

/** Debounce of the search field in milliseconds. The delay lets the browser paint the typed character before the search runs. */
const SEARCH_DEBOUNCE_MS = 8

export function prefetch(queries: QueryClient, campaign: number): void {
  void queries.prefetchQuery(campaignQuery(campaign, null))
  void queries.prefetchQuery(vehicleListQuery(campaign))
}

/** Vehicle list of a campaign, searched, filtered, sorted and paged in the browser. */
export default function VehicleListPage() {
  const t = useVehicleListText()
  const id = parseId(useParams<{ id: string }>().id) ?? 0
  const campaign = useCampaign(id)
  const list = useVehicleList(id)
  const isWide = useMediaQuery('(min-width: 900px)')
  const isLoading = campaign.isPending || list.isLoading
  const mayWalk = list.data !== undefined && list.data.length > 0 && campaign.data !== undefined && campaign.data.status !== 'Closed'
  const walk = buildPath(`/campaign/${id}/walk`)
  return (
    <Page title={t('vehicles.title')} subtitle={(campaign.data !== undefined || isLoading) && (
      <div className={styles.about}>
        <CampaignHeading key={id} name={campaign.data?.name ?? '…'} problem={campaign.data ? `${campaign.data.part} · ${campaign.data.description}` : '…'} />
        {isWide && (mayWalk || isLoading) && (
          <div className={mayWalk ? undefined : styles.reserved}>
            <LinkButton icon="scan" to={walk}>{t('list.walk')}</LinkButton>
          </div>
        )}
      </div>
    )}>
      {list.isError ? <ErrorNotice isMissing={isNotFoundError(list.error)} text={getErrorMessage(list.error, t)} onRetry={() => void list.refetch()} /> : <Vehicles campaign={id} name={campaign.data?.name ?? String(id)} whole={list.data} onRetry={() => void list.refetch()} />}
      {!isWide && mayWalk && (
        <div className={styles.bar} data-bottom-bar>
          <LinkButton kind="primary" big wide icon="scan" to={walk}>
            {t('list.walk')}
          </LinkButton>
        </div>
      )}
    </Page>
  )
}

/** Removes the vehicles of the yard '-', which operators may not see. The parking spaces of these vehicles begin with a dash. */
const withoutDash = (vehicles: ListedVehicle[] | undefined) => vehicles?.filter(({ yard_group }) => !isYardWithoutName(yard_group))

/** Search field, filters and result list of vehicles. */
function Vehicles({ campaign, name, whole, onRetry }: { campaign: number; name: string; whole: ListedVehicle[] | undefined; onRetry: () => void }) {
  const t = useVehicleListText()
  const address = useVehicleListUrlState()
  const { filter: { search, yard, statuses } } = address
  const manages = mayManageCampaigns(useSession()?.user.user_type ?? '')
  const visible = useMemo(() => (manages ? whole : withoutDash(whole)), [whole, manages])
  const found = useFilteredVehicleRows(visible, address.filter, address.sort)
  if (visible?.length === 0) return <EmptyState icon="list" text={t('vehicles.none')} />
  return (
    <VehicleListContent campaign={campaign} name={name} visible={visible} found={found} address={address} manages={manages} onRetry={onRetry}>
      <div className={`${styles.tools} no-print`}>
        <SearchBox label={t('vehicles.search')} value={search} debounceMs={SEARCH_DEBOUNCE_MS} onChange={(text) => setQueryParams({ search: text, page: null })} />
        <Select label={t('vehicles.yardFilter')} value={yard} onChange={(event) => setQueryParams({ yard: event.target.value, page: null })}>
          <option value="">{t('vehicles.allYards')}</option>
          {(found.isReady ? found.places : [yard].filter(Boolean)).filter((place) => manages || !isYardWithoutName(place)).map((place) => (
            <option key={place} value={place}>
              {t('yard.named', { name: place })}
            </option>
          ))}
        </Select>
      </div>
      {found.isReady ? (
        <StatusFilterChips counts={found.counts} total={found.total} chosen={statuses} onPress={(status) => (status === '' ? setQueryParams({ status: null, page: null }) : toggleStatusFilter(statuses, status))} />
      ) : (
        <p role="status" className={styles.loading}>
          <Spinner />
          {t('vehicles.loading')}
        </p>
      )}
    </VehicleListContent>
  )
}

