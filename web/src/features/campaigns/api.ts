import { CAMPAIGN } from '@/api/shape'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { along } from '@/api/along'
import { answer, http } from '@/api/client'
import { askToKeep } from '@/api/disk'
import { download } from '@/api/files'
import { uncounted, usePending } from '@/api/outbox'
import { Problem } from '@/api/problem'
import { take } from '@/api/taken'
import { allYardsQuery, campaignQuery, campaignsQuery, refreshCounts, yardCountsQuery, type CampaignSearch } from '@/api/queries'
import type { Campaign, CampaignStatus, Pace, Yard, YardCount } from '@/api/types'
import type { YardProgress } from './YardStrip'

/** Without a live line it is asked for now and then. */
const PACE_MS = 60_000

type Pending = ReturnType<typeof usePending>

/** A campaign whose progress counts what was inspected here and not yet sent, and says how many. */
export type Counted = Campaign & { unsent: number }

function counted(campaign: Campaign, pending: Pending, yard: number | null): Counted {
  const unsent = Math.min(uncounted(pending, campaign.id, yard), campaign.total_vehicles - campaign.total_inspected)
  return { ...campaign, unsent, total_inspected: campaign.total_inspected + unsent }
}

export function useCampaigns(search: CampaignSearch) {
  const { data, isPending, isError, error, refetch } = useQuery(campaignsQuery(search))
  const pending = usePending()
  const shown = useMemo(() => data && { ...data, campaigns: data.campaigns.map((one) => counted(one, pending, search.yard ?? null)) }, [data, pending, search.yard])
  return { data: shown, isPending, isError, error, refetch }
}

export function useCampaign(id: number, yard: number | null) {
  const { data, isPending, isError, error, refetch } = useQuery(campaignQuery(id, yard))
  const pending = usePending()
  const shown = useMemo(() => data && counted(data, pending, yard), [data, pending, yard])
  return { data: shown, isPending, isError, error, refetch }
}

/** Takes a campaign's list along, or that of one of its yards. */
export const useTake = () =>
  useMutation({
    mutationFn: async ({ campaign, yard }: { campaign: Campaign; yard: number | null }) => {
      const persisted = await askToKeep()
      await take(campaign, yard)
      return persisted
    },
  })

/** A yard's name, known by its id; null when there is no such yard. */
export function useYardName(id: number): string | null | undefined {
  const yards = useQuery(allYardsQuery).data
  return yards && (yards.find((yard) => yard.id === id)?.name ?? null)
}

/** Sets a Ready campaign to Ongoing. */
export function useStartCampaign() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: number) =>
      answer(http.PUT('/campaigns/{id}', { params: { path: { id } }, body: { status: 'Ongoing' } }), CAMPAIGN).catch((error: unknown) => {
        // Without a signal the first save that arrives starts it.
        if (!(error instanceof Problem) || error.status !== 0 || !along.get().some(({ campaign }) => campaign === id)) throw error
      }),
    onSettled: () => refreshCounts(queries),
  })
}

/** Takes a campaign to another status. */
export function useSetCampaignStatus() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, status }: { id: number; status: CampaignStatus }) => answer(http.PUT('/campaigns/{id}', { params: { path: { id } }, body: { status } }), CAMPAIGN),
    onSettled: () => refreshCounts(queries),
  })
}

/** Saves a campaign's vehicles as a workbook. */
export const useVehicleReport = () =>
  useMutation({ mutationFn: ({ id, name }: Campaign) => download(`/campaigns/${id}/generate_campaign_vehicle_report`, `report_${name}.xlsx`) })

/** How far each yard is, over all campaigns. */
export const useYardsProgress = () => useQuery({ ...allYardsQuery, select: (yards): YardProgress[] => yards.map(ofYard) })
const ofYard = (yard: Yard): YardProgress => ({ id: yard.id, name: yard.name, done: yard.vehicles_inspected_count, total: yard.vehicles_count })

/** How far each yard of one campaign is. */
export const useCampaignYards = (campaign: string) => useQuery({ ...yardCountsQuery(campaign), select: (yards): YardProgress[] => yards.map(ofCount) })
const ofCount = (yard: YardCount): YardProgress => ({ id: yard.yard_id, name: yard.yard_name, done: yard.inspected_vehicles, total: yard.total_vehicles })

/** How fast a campaign goes; told anew by the live line. */
export const usePace = (campaign: number) =>
  useQuery({ queryKey: ['pace', campaign], queryFn: ({ signal }) => answer(http.GET('/campaigns/{id}/pace', { params: { path: { id: campaign } }, signal }), 'people*'), refetchInterval: PACE_MS, retry: false }).data

/** How fast the campaigns of a page go. */
export const usePaces = (campaigns: number[]): Pace[] =>
  useQuery({
    queryKey: ['paces', campaigns],
    queryFn: ({ signal }) => answer(http.GET('/pace', { params: { query: { campaigns: campaigns.join(',') } }, signal }), '*campaign_id#'),
    enabled: campaigns.length > 0,
    refetchInterval: PACE_MS,
    retry: false,
  }).data ?? []

/** What phones still hold of a campaign that is about to be closed. */
export const useHeldWork = (campaign: number, enabled: boolean) =>
  useQuery({ queryKey: ['held', campaign], queryFn: ({ signal }) => answer(http.GET('/campaigns/{id}/held', { params: { path: { id: campaign } }, signal }), 'held*'), enabled, staleTime: 0, retry: false })
