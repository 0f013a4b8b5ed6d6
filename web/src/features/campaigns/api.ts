import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, http } from '@/api/client'
import { allYardsQuery, campaignQuery, campaignsQuery, refreshCounts, type CampaignSearch } from '@/api/queries'

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
