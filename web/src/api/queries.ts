import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { answer, http } from './client'
import type { Key } from '@/lib/text'
import type { Campaign, CampaignFilter, Yard } from './types'

declare module '@tanstack/react-query' {
  interface Register {
    /** `failed`: what a toast says when this could not be loaded. */
    queryMeta: { failed?: Key }
  }
}

const MANY = 200

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => answer(http.GET('/me', { signal })),
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
    queryFn: ({ signal }) => answer(http.GET('/campaigns', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    meta: { failed: 'campaigns.notLoaded' },
  })

/** Every campaign, page by page, for the filter lists. */
export const allCampaignsQuery = queryOptions({
  queryKey: ['campaigns', 'every'],
  queryFn: async ({ signal }) => {
    const found: Campaign[] = []
    for (let page = 0; ; page++) {
      const query = { page, per_page: MANY, status: 'all' as const }
      const { campaigns, meta } = await answer(http.GET('/campaigns', { params: { query }, signal }))
      found.push(...campaigns)
      if (campaigns.length === 0 || found.length >= meta.total_count) return found
    }
  },
})

export const campaignQuery = (id: number, yard: number | null) =>
  queryOptions({
    queryKey: ['campaigns', 'one', id, yard],
    queryFn: ({ signal }) =>
      answer(http.GET('/campaigns/{id}', { params: { path: { id }, query: yard === null ? {} : { yard } }, signal })),
  })

/** Every yard, each page fetched in turn. */
export const allYardsQuery = queryOptions({
  queryKey: ['yards', 'every'],
  queryFn: async ({ signal }) => {
    const found: Yard[] = []
    for (let page = 0; ; page++) {
      const { yards, meta } = await answer(http.GET('/yards', { params: { query: { page } }, signal }))
      found.push(...yards)
      if (yards.length === 0 || found.length >= meta.total_count) return found
    }
  },
})

export const yardCountsQuery = (campaign: string) =>
  queryOptions({
    queryKey: ['yards', 'counts', campaign],
    queryFn: ({ signal }) =>
      answer(http.GET('/yards/vehicle-counts', { params: { query: { campaign_name: campaign } }, signal })),
  })

export const vehicleQuery = (id: number, yard: number | null) =>
  queryOptions({
    queryKey: ['vehicles', 'one', id, yard],
    queryFn: ({ signal }) =>
      answer(http.GET('/vehicles/{id}', { params: { path: { id }, query: yard === null ? {} : { yard } }, signal })),
    staleTime: 0,
  })

/** The whole list of a campaign's vehicles, in walking order. */
export const wholeListQuery = (campaign: number) =>
  queryOptions({
    queryKey: ['vehicles', 'list', campaign],
    queryFn: ({ signal }) => answer(http.GET('/vehicles/campaign/{id}/all', { params: { path: { id: campaign } }, signal })),
    staleTime: 60_000,
  })

/** After campaigns or vehicles changed: what is on screen is fetched again, the rest when next shown. */
export const refreshCounts = (client: QueryClient): Promise<unknown> =>
  Promise.all([
    client.invalidateQueries({ queryKey: ['campaigns'] }),
    client.invalidateQueries({ queryKey: ['yards'] }),
  ])
