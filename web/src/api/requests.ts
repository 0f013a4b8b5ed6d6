import { apiClient, unwrapResponse } from './client'
import { CAMPAIGN_REQUIRED_FIELDS, VEHICLE_REQUIRED_FIELDS } from './requiredFields'
import type { Campaign, CampaignPage, CampaignSearchParams, ListedVehicle, Vehicle, Yard, YardVehicleCount } from './types'

const MAX_PER_PAGE = 200

export const fetchCampaignPage = (query: CampaignSearchParams, signal: AbortSignal): Promise<CampaignPage> => unwrapResponse(apiClient.GET('/campaigns', { params: { query }, signal }), 'campaigns*')

/** Fetches all campaigns, page by page. */
export async function fetchAllCampaigns(signal: AbortSignal): Promise<Campaign[]> {
  const found: Campaign[] = []
  for (let page = 0; ; page++) {
    const { campaigns, meta } = await fetchCampaignPage({ page, per_page: MAX_PER_PAGE, status: 'all' }, signal)
    found.push(...campaigns)
    if (campaigns.length === 0 || found.length >= meta.total_count) return found
  }
}

/** Fetches a campaign. If `yard` is not null, the vehicle counts and the next vehicle to inspect are limited to that yard. */
export const fetchCampaign = (id: number, yard: number | null, signal?: AbortSignal): Promise<Campaign> =>
  unwrapResponse(apiClient.GET('/campaigns/{id}', { params: { path: { id }, query: yard === null ? {} : { yard } }, signal }), CAMPAIGN_REQUIRED_FIELDS)

/** Fetches all yards, page by page. */
export async function fetchAllYards(signal: AbortSignal): Promise<Yard[]> {
  const found: Yard[] = []
  for (let page = 0; ; page++) {
    const { yards, meta } = await unwrapResponse(apiClient.GET('/yards', { params: { query: { page } }, signal }), 'yards*')
    found.push(...yards)
    if (yards.length === 0 || found.length >= meta.total_count) return found
  }
}

/** Fetches the number of vehicles of a campaign in each yard. */
export const fetchYardVehicleCounts = (campaign: string, signal: AbortSignal): Promise<YardVehicleCount[]> =>
  unwrapResponse(apiClient.GET('/yards/vehicle-counts', { params: { query: { campaign_name: campaign } }, signal }), '*')

/** Fetches a vehicle. Its field `next` is the id of the next vehicle to inspect, limited to the yard unless `yard` is null. */
export const fetchVehicle = (id: number, yard: number | null, signal: AbortSignal): Promise<Vehicle> =>
  unwrapResponse(apiClient.GET('/vehicles/{id}', { params: { path: { id }, query: yard === null ? {} : { yard } }, signal }), VEHICLE_REQUIRED_FIELDS)

/** Full vehicle list of a campaign, with the `ETag` of the response and the revision number of the list. */
export interface VehicleList {
  rows: ListedVehicle[]
  etag: string | null
  revision: string | null
}

/** Fetches all vehicles of a campaign, ordered by yard and parking space. Returns null when the list with this `ETag` is still current. */
export async function fetchVehicleList(campaign: number, etag: string | null, signal?: AbortSignal): Promise<VehicleList | null> {
  const header = etag === null ? {} : { 'If-None-Match': etag }
  const outcome = await apiClient.GET('/vehicles/campaign/{id}/all', { params: { path: { id: campaign }, header }, signal })
  if (etag !== null && outcome.response.status === 304) return null
  const rows = await unwrapResponse(Promise.resolve(outcome), '*id# vin_number$')
  const { headers } = outcome.response
  return { rows, etag: headers.get('etag'), revision: headers.get('x-revision') }
}
