import { CAMPAIGN, VEHICLE } from './shape'
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { isWholeAlong, orAlong } from './along'
import { answer, http } from './client'
import { Problem } from './problem'
import type { Key } from '@/lib/text'
import type { Campaign, CampaignFilter, ListedVehicle, Vehicle, Yard } from './types'

declare module '@tanstack/react-query' {
  interface Register {
    /** `failed`: what a toast says when this could not be loaded. */
    queryMeta: { failed?: Key }
  }
}

const MANY = 200
/** A list from the disk is drawn before the server is asked what changed. */
const AFTER_SHOWN_MS = 300

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => answer(http.GET('/me', { signal }), 'id#'),
  staleTime: Infinity,
})

export interface CampaignSearch {
  page: number
  search?: string
  status?: CampaignFilter
  yard?: number
}

/** One page of campaigns, newest first; the page before stays until the next has come. */
export const campaignsQuery = (query: CampaignSearch) =>
  queryOptions({
    queryKey: ['campaigns', 'page', query],
    queryFn: ({ signal }) => orAlong(answer(http.GET('/campaigns', { params: { query }, signal }), 'campaigns*'), (taken) => taken.campaigns(query)),
    placeholderData: keepPreviousData,
    meta: { failed: 'campaigns.notLoaded' },
  })

/** Every campaign, page by page, for the filter lists. */
export const allCampaignsQuery = queryOptions({
  queryKey: ['campaigns', 'every'],
  queryFn: ({ signal }) => orAlong(everyCampaign(signal), (taken) => taken.allCampaigns()),
})

export const campaignQuery = (id: number, yard: number | null) =>
  queryOptions({
    queryKey: ['campaigns', 'one', id, yard],
    queryFn: ({ signal }) =>
      orAlong(answer(http.GET('/campaigns/{id}', { params: { path: { id }, query: yard === null ? {} : { yard } }, signal }), CAMPAIGN), (taken) => taken.campaign(id, yard)),
  })

/** Every yard, each page fetched in turn. */
export const allYardsQuery = queryOptions({
  queryKey: ['yards', 'every'],
  queryFn: ({ signal }) => orAlong(everyYard(signal), (taken) => taken.allYards()),
})

async function everyCampaign(signal: AbortSignal): Promise<Campaign[]> {
  const found: Campaign[] = []
  for (let page = 0; ; page++) {
    const query = { page, per_page: MANY, status: 'all' as const }
    const { campaigns, meta } = await answer(http.GET('/campaigns', { params: { query }, signal }), 'campaigns*')
    found.push(...campaigns)
    if (campaigns.length === 0 || found.length >= meta.total_count) return found
  }
}

async function everyYard(signal: AbortSignal): Promise<Yard[]> {
  const found: Yard[] = []
  for (let page = 0; ; page++) {
    const { yards, meta } = await answer(http.GET('/yards', { params: { query: { page } }, signal }), 'yards*')
    found.push(...yards)
    if (yards.length === 0 || found.length >= meta.total_count) return found
  }
}

export const yardCountsQuery = (campaign: string) =>
  queryOptions({
    queryKey: ['yards', 'counts', campaign],
    queryFn: ({ signal }) =>
      orAlong(answer(http.GET('/yards/vehicle-counts', { params: { query: { campaign_name: campaign } }, signal }), '*'), (taken) => taken.yardCounts(campaign)),
  })

export const vehicleQuery = (id: number, yard: number | null) =>
  queryOptions({
    queryKey: ['vehicles', 'one', id, yard],
    queryFn: ({ signal }) =>
      orAlong<Vehicle>(answer(http.GET('/vehicles/{id}', { params: { path: { id }, query: yard === null ? {} : { yard } }, signal }), VEHICLE), (taken) => taken.vehicle(id, yard)),
    staleTime: 0,
  })

/** The tag each list came with. A list that was changed here is another one, without a tag. */
const tags = new WeakMap<ListedVehicle[], string>()

export const wholeListKey = (campaign: number) => ['vehicles', 'list', campaign] as const

/** The whole list of a campaign's vehicles, in walking order; fetched again only when it has changed. */
export const wholeListQuery = (campaign: number) =>
  queryOptions({
    queryKey: wholeListKey(campaign),
    queryFn: async ({ client, signal }): Promise<ListedVehicle[]> => {
      const held = client.getQueryData<ListedVehicle[]>(wholeListKey(campaign))
      const kept = isWholeAlong(campaign) ? await listAlong(client, campaign, held) : null
      return kept ?? (await orAlong(listOf(campaign, held, signal), (taken) => taken.wholeList(campaign)))
    },
    // Comparing a hundred thousand rows with those before takes longer than drawing the ten that are shown.
    structuralSharing: false,
    staleTime: 60_000,
  })

/** The list as it was taken along, at once, and then as the server has it; null when it is not on the disk after all. */
async function listAlong(client: QueryClient, campaign: number, held: ListedVehicle[] | undefined): Promise<ListedVehicle[] | null> {
  const taken = await import('./taken')
  const fresh = () => taken.refresh(client, campaign).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 0) return null
    throw error
  })
  if (held !== undefined) return (await fresh()) ?? held
  const rows = await taken.wholeList(campaign)
  if (rows !== null) setTimeout(() => void fresh().catch(() => undefined), AFTER_SHOWN_MS)
  return rows
}

async function listOf(campaign: number, held: ListedVehicle[] | undefined, signal: AbortSignal): Promise<ListedVehicle[]> {
  const tag = held && tags.get(held)
  const header = tag === undefined ? {} : { 'If-None-Match': tag }
  const outcome = await http.GET('/vehicles/campaign/{id}/all', { params: { path: { id: campaign }, header }, signal })
  if (held !== undefined && outcome.response.status === 304) return held
  const list = await answer(Promise.resolve(outcome), '*id# vin_number$')
  const fresh = outcome.response.headers.get('etag')
  if (fresh !== null) tags.set(list, fresh)
  return list
}

/** After campaigns or vehicles changed: what is on screen is fetched again, the rest when next shown. */
export const refreshCounts = (client: QueryClient): Promise<unknown> =>
  Promise.all([
    client.invalidateQueries({ queryKey: ['campaigns'] }),
    client.invalidateQueries({ queryKey: ['yards'] }),
  ])
