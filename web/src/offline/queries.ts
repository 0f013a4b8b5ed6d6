import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { queryKeys } from '@/api/queryKeys'
import { ApiProblem } from '@/api/apiProblem'
import { fetchAllCampaigns, fetchAllYards, fetchCampaign, fetchCampaignPage, fetchVehicle, fetchVehicleList, fetchYardVehicleCounts } from '@/api/requests'
import type { CampaignSearchParams, ListedVehicle, Vehicle } from '@/api/types'
import { isFullCampaignAvailableOffline } from './offlineCampaigns'
import { withOfflineFallback } from './offlineFallback'
import * as stored from './snapshots/queries'
import { refreshSnapshot } from './snapshots/refresh'
import { readSnapshotRows } from './snapshots/store'

/** Delay in milliseconds between reading a vehicle list that is stored on this device and asking the server for changes. */
const REFRESH_DELAY_MS = 300
/** Time in milliseconds for which the loaded names of campaigns are used without another request. */
const CAMPAIGN_NAMES_STALE_MS = 5 * 60_000

/** Query of one page of campaigns, newest first. The previous page stays on screen until the next page has loaded. */
export const campaignPageQuery = (search: CampaignSearchParams) =>
  queryOptions({
    queryKey: queryKeys.campaignPage(search),
    queryFn: ({ signal }) => withOfflineFallback(fetchCampaignPage(search, signal), () => stored.findCampaignPage(search)),
    placeholderData: keepPreviousData,
    meta: { failed: 'campaigns.notLoaded' },
  })

const loadAllCampaigns = ({ signal }: { signal: AbortSignal }) => withOfflineFallback(fetchAllCampaigns(signal), () => stored.listCampaigns())

/** Query of all campaigns, for the campaign options of a filter. */
export const allCampaignsQuery = queryOptions({ queryKey: queryKeys.allCampaigns, queryFn: loadAllCampaigns })

/** Query of all campaigns for pages that need only their names and no current counts. */
export const campaignNamesQuery = queryOptions({ queryKey: queryKeys.campaignNames, queryFn: loadAllCampaigns, staleTime: CAMPAIGN_NAMES_STALE_MS })

export const campaignQuery = (id: number, yard: number | null) =>
  queryOptions({
    queryKey: queryKeys.campaign(id, yard),
    queryFn: ({ signal }) => withOfflineFallback(fetchCampaign(id, yard, signal), () => stored.findCampaign(id, yard)),
  })

export const allYardsQuery = queryOptions({
  queryKey: queryKeys.allYards,
  queryFn: ({ signal }) => withOfflineFallback(fetchAllYards(signal), () => stored.listYards()),
})

/** Query of the number of vehicles in each yard, for the campaign with this name. */
export const yardVehicleCountsQuery = (campaign: string) =>
  queryOptions({
    queryKey: queryKeys.yardCounts(campaign),
    queryFn: ({ signal }) => withOfflineFallback(fetchYardVehicleCounts(campaign, signal), () => stored.countVehiclesByYard(campaign)),
  })

export const vehicleQuery = (id: number, yard: number | null) =>
  queryOptions({
    queryKey: queryKeys.vehicle(id, yard),
    queryFn: ({ signal }) => withOfflineFallback<Vehicle>(fetchVehicle(id, yard, signal), () => stored.findVehicle(id, yard)),
    staleTime: 0,
  })

/** `ETag` of each fetched vehicle list. A list that was changed in the cache is a new array without an `ETag`. */
const etags = new WeakMap<ListedVehicle[], string>()

/** Query of all vehicles of a campaign, ordered by yard, then parking space. The server sends the list again only if it has changed. */
export const vehicleListQuery = (campaign: number) =>
  queryOptions({
    queryKey: queryKeys.vehicleList(campaign),
    queryFn: async ({ client, signal }): Promise<ListedVehicle[]> => {
      const cached = client.getQueryData<ListedVehicle[]>(queryKeys.vehicleList(campaign))
      const onDevice = isFullCampaignAvailableOffline(campaign) ? await listFromDevice(client, campaign, cached) : null
      return onDevice ?? (await withOfflineFallback(listFromServer(campaign, cached, signal), () => readSnapshotRows(campaign)))
    },
    // Disabled, because comparing 100,000 rows with the previous rows takes longer than rendering the ten rows of a page.
    structuralSharing: false,
    staleTime: 60_000,
  })

/**
 * Returns a campaign's vehicle list from this device, or null if this device has no list. `cached` is the list in the query cache, if any.
 *
 * - Without `cached`, returns the stored list at once, and updates the stored list from the server shortly afterwards.
 * - With `cached`, updates the stored list from the server and returns the updated list. Returns `cached` when the server is unreachable or
 *   no list is stored.
 */
async function listFromDevice(client: QueryClient, campaign: number, cached: ListedVehicle[] | undefined): Promise<ListedVehicle[] | null> {
  const refreshed = () => refreshSnapshot(client, campaign).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 0) return null
    throw error
  })
  if (cached !== undefined) return (await refreshed()) ?? cached
  const rows = await readSnapshotRows(campaign)
  if (rows !== null) setTimeout(() => void refreshed().catch(() => undefined), REFRESH_DELAY_MS)
  return rows
}

async function listFromServer(campaign: number, cached: ListedVehicle[] | undefined, signal: AbortSignal): Promise<ListedVehicle[]> {
  const list = await fetchVehicleList(campaign, (cached && etags.get(cached)) ?? null, signal)
  if (list === null) return cached ?? []
  if (list.etag !== null) etags.set(list.rows, list.etag)
  return list.rows
}
