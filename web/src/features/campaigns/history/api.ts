import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/queryKeys'
import { useHistoryPageQuery } from '@/api/historyPageQuery'

const PAGE_SIZE = 50

/**
 * Fetches one page of a campaign's history, newest events first. `before` is the `next` value of the previous page, or `null` for the
 * newest events.
 */
export const useCampaignHistory = (id: number, before: string | null) =>
  useHistoryPageQuery(queryKeys.campaignHistory(id, before), async (signal) => {
    const query = { limit: PAGE_SIZE, ...(before === null ? {} : { before }) }
    const { entries, next } = await unwrapResponse(apiClient.GET('/campaigns/{id}/history', { params: { path: { id }, query }, signal }), 'entries*')
    return { events: entries, next }
  })
