import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/keys'

const PAGE_SIZE = 50

/** Fetches the history of a campaign from a position, or its newest events, newest first. */
export const useCampaignHistory = (id: number, before: string | null) =>
  useQuery({
    queryKey: queryKeys.campaignHistory(id, before),
    queryFn: ({ signal }) => {
      const query = { limit: PAGE_SIZE, ...(before === null ? {} : { before }) }
      return unwrapResponse(apiClient.GET('/campaigns/{id}/history', { params: { path: { id }, query }, signal }), 'entries*')
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
