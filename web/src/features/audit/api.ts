import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/queryKeys'
import { getDayStartIsoTimestamp } from './auditEvents'

export interface AuditFilter {
  kind: string
  /** Whether the list includes page views (events that record an opened page). Ignored when `kind` is chosen. */
  pageViews: boolean
  hmc: string
  /** First day of the period in the format `YYYY-MM-DD` of a date field; empty for no limit. */
  from: string
  to: string
  search: string
  page: number
}

/** Builds the query parameters of a filter. Empty fields are omitted; the last day is included in full. */
function queryOf({ kind, pageViews, hmc, from, to, search, page }: AuditFilter) {
  const wanted = { kind, hmc: hmc.trim(), search: search.trim(), from: getDayStartIsoTimestamp(from) ?? '', to: getDayStartIsoTimestamp(to, 1) ?? '' }
  const withoutPageViews = kind === '' && !pageViews ? { page_views: false } : {}
  return { page: page - 1, ...withoutPageViews, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== '')) }
}

/** Fetches one page of audit events, newest first. */
export const useAuditEvents = (filter: AuditFilter) =>
  useQuery({
    queryKey: queryKeys.audit(filter),
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/logs/audit', { params: { query: queryOf(filter) }, signal }), 'events*'),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
