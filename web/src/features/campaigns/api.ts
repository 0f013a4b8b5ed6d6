import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, http } from '@/api/client'
import { download } from '@/api/files'
import { allYardsQuery, campaignQuery, campaignsQuery, refreshCounts, yardCountsQuery, type CampaignSearch } from '@/api/queries'
import type { Campaign, CampaignStatus, Yard, YardCount } from '@/api/types'
import type { YardProgress } from './YardStrip'

export const useCampaigns = (search: CampaignSearch) => useQuery(campaignsQuery(search))
export const useCampaign = (id: number, yard: number | null) => useQuery(campaignQuery(id, yard))

/** A yard's name, known by its id. */
export const useYardName = (id: number): string | undefined =>
  useQuery(allYardsQuery).data?.find((yard) => yard.id === id)?.name

/** Sets a Ready campaign to Ongoing. */
export function useStartCampaign() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => answer(http.PUT('/campaigns/{id}', { params: { path: { id } }, body: { status: 'Ongoing' } })),
    onSettled: () => refreshCounts(queries),
  })
}

/** Takes a campaign to another status. */
export function useSetCampaignStatus() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, status }: { id: number; status: CampaignStatus }) => answer(http.PUT('/campaigns/{id}', { params: { path: { id } }, body: { status } })),
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
