import type { QueryClient } from '@tanstack/react-query'
import { isNotFoundError } from '@/api/apiProblem'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys, type VehicleSearch } from '@/api/queryKeys'
import { fetchCampaignPage } from '@/api/requests'
import type { Campaign, CampaignPage, CampaignSearchParams } from '@/api/types'
import { rankFoundVehicles, type FoundVehicle } from './rankFoundVehicles'

/** Maximum number of campaigns that are searched at first. The user can then start a search of all open campaigns. */
export const MAX_SEARCHED_CAMPAIGNS = 24
const MAX_CONCURRENT = 4
export const MAX_SEARCH_RESULTS = 8
/** Number of campaigns per request of the campaign list: the maximum that the server accepts. */
const CAMPAIGNS_PER_PAGE = 200
const CAMPAIGNS_STALE_MS = 60_000

export interface VehicleSearchResult {
  /** The best matches, at most `MAX_SEARCH_RESULTS`. */
  vehicles: FoundVehicle[]
  /** Number of all matching vehicles in the searched campaigns. */
  total: number
  /** Number of open campaigns that were searched. */
  searched: number
  /** Number of all open campaigns. */
  open: number
}

/**
 * Matches a parking space typed without its hyphen, such as `B204` or `b 204` for B-204. People omit the hyphen because the spaces painted
 * on the ground have none.
 */
const SPACE_WITHOUT_HYPHEN = /^([a-z]) ?(\d{1,4})$/i

/** Searches the open campaigns for a part of a VIN or of a parking space. The campaign of the current page comes first, even if it is closed. */
export async function searchVehicles(queries: QueryClient, { text, campaign, all }: VehicleSearch, signal: AbortSignal): Promise<VehicleSearchResult> {
  const search = text.replace(SPACE_WITHOUT_HYPHEN, '$1-$2')
  const { ids, open } = await listOpenCampaigns(queries, all)
  const others = ids.filter((id) => id !== campaign)
  const order = campaign === null ? others : [campaign, ...others]
  const covered = all ? order : order.slice(0, MAX_SEARCHED_CAMPAIGNS)
  const found = dropHitsInsideVins(await searchCampaigns(covered, search, signal), search)
  return {
    vehicles: rankFoundVehicles(found.map(({ vehicles }) => vehicles), search, MAX_SEARCH_RESULTS),
    total: found.reduce((sum, { total }) => sum + total, 0),
    searched: covered.filter((id) => ids.includes(id)).length,
    open,
  }
}

const SPACE = /^[a-z]-\d+$/i

/**
 * Removes false matches of a search for a parking space such as `B-20`. In a campaign without that space, the server ignores the hyphen,
 * so that the search also matches every VIN that begins with HB20. If any campaign has the space, all vehicles found in campaigns without
 * the space are removed.
 */
function dropHitsInsideVins(found: CampaignHits[], search: string): CampaignHits[] {
  const hasSpace = ({ vehicles }: CampaignHits) => vehicles.some(({ space }) => space.toLowerCase().includes(search.toLowerCase()))
  if (!SPACE.test(search) || !found.some(hasSpace)) return found
  return found.map((hits) => (hasSpace(hits) ? hits : { vehicles: [], total: 0 }))
}

/**
 * Returns the ids of the open campaigns, newest first, and the number of open campaigns. Unless `all` is true, returns only the ids of the
 * first page of the campaign list.
 */
async function listOpenCampaigns(queries: QueryClient, all: boolean): Promise<{ ids: number[]; open: number }> {
  const campaigns: Campaign[] = []
  for (let page = 0; ; page++) {
    const listed = await fetchPage(queries, page)
    campaigns.push(...listed.campaigns)
    const { total_count: open } = listed.meta
    if (!all || campaigns.length >= open || listed.campaigns.length === 0) return { ids: campaigns.map(({ id }) => id), open }
  }
}

function fetchPage(queries: QueryClient, page: number): Promise<CampaignPage> {
  const search: CampaignSearchParams = { page, per_page: CAMPAIGNS_PER_PAGE, status: 'ongoing' }
  return queries.fetchQuery({
    queryKey: queryKeys.campaignPage(search),
    queryFn: ({ signal }) => fetchCampaignPage(search, signal),
    staleTime: CAMPAIGNS_STALE_MS,
  })
}

interface CampaignHits {
  vehicles: FoundVehicle[]
  total: number
}

/** Searches campaigns with `MAX_CONCURRENT` requests at a time. Returns the vehicles of each campaign, in the order of the campaigns. */
async function searchCampaigns(ids: number[], search: string, signal: AbortSignal): Promise<CampaignHits[]> {
  const found: CampaignHits[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < ids.length; index = next++) found[index] = await findInCampaign(ids[index] ?? 0, search, signal)
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
  return found
}

/** Searches one campaign. A campaign that was deleted in the meantime has no vehicles. */
async function findInCampaign(id: number, search: string, signal: AbortSignal): Promise<CampaignHits> {
  const query = { page: 0, per_page: MAX_SEARCH_RESULTS, search }
  try {
    const { vehicles, meta } = await unwrapResponse(apiClient.GET('/vehicles/campaign/{id}', { params: { path: { id }, query }, signal }), 'vehicles*')
    const hits = vehicles.map(({ id: vehicle, vin_number: vin, parking_space: space, status, inspected }) => ({ id: vehicle, vin, space, status, inspected, campaign: meta.campaign_name }))
    return { vehicles: hits, total: meta.total_count }
  } catch (error) {
    if (isNotFoundError(error)) return { vehicles: [], total: 0 }
    throw error
  }
}
