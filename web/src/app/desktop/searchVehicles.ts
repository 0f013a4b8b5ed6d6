import type { QueryClient } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/queryKeys'
import type { Campaign, CampaignPage } from '@/api/types'

/** Maximum number of campaigns that one search covers. The newest campaigns are searched. */
const MAX_CAMPAIGNS = 12
const MAX_CONCURRENT = 4
export const MAX_SEARCH_RESULTS = 8
const CAMPAIGNS_STALE_MS = 60_000

export interface FoundVehicle {
  id: number
  vin: string
  space: string
  status: string
  inspected: boolean
  campaign: string
}
export interface VehicleSearchResult {
  vehicles: FoundVehicle[]
  /** Number of open campaigns that were searched. The search begins with the newest, and stops once enough vehicles are found. */
  searched: number
  /** Number of all open campaigns. */
  open: number
}

/**
 * Matches a parking space typed without its hyphen, such as `B204` or `b 204` for B-204. People omit the hyphen because the spaces painted
 * on the ground have none.
 */
const SPACE_WITHOUT_HYPHEN = /^([a-z]) ?(\d{1,4})$/i

const fetchOpenCampaigns = (signal: AbortSignal): Promise<CampaignPage> =>
  unwrapResponse(apiClient.GET('/campaigns', { params: { query: { page: 0, per_page: MAX_CAMPAIGNS, status: 'ongoing' } }, signal }), 'campaigns*')

/** Searches the open campaigns for a part of a VIN or of a parking space. Stops as soon as enough vehicles are found. */
export async function searchVehicles(queries: QueryClient, text: string, signal: AbortSignal): Promise<VehicleSearchResult> {
  const search = text.replace(SPACE_WITHOUT_HYPHEN, '$1-$2')
  const { campaigns, meta } = await queries.fetchQuery({
    queryKey: queryKeys.campaignPage({ page: 0, per_page: MAX_CAMPAIGNS, status: 'ongoing' }),
    queryFn: (context) => fetchOpenCampaigns(context.signal),
    staleTime: CAMPAIGNS_STALE_MS,
  })
  const vehicles: FoundVehicle[] = []
  let searched = 0
  while (searched < campaigns.length && vehicles.length < MAX_SEARCH_RESULTS) {
    const batch = campaigns.slice(searched, searched + MAX_CONCURRENT)
    const found = await Promise.all(batch.map((campaign) => findInCampaign(campaign, search, signal)))
    vehicles.push(...found.flat())
    searched += batch.length
  }
  return { vehicles: vehicles.slice(0, MAX_SEARCH_RESULTS), searched, open: meta.total_count }
}

async function findInCampaign({ id, name }: Campaign, search: string, signal: AbortSignal): Promise<FoundVehicle[]> {
  const query = { page: 0, per_page: MAX_SEARCH_RESULTS, search }
  const { vehicles } = await unwrapResponse(apiClient.GET('/vehicles/campaign/{id}', { params: { path: { id }, query }, signal }), 'vehicles*')
  return vehicles.map(({ id: vehicle, vin_number: vin, parking_space: space, status, inspected }) => ({ id: vehicle, vin, space, status, inspected, campaign: name }))
}
