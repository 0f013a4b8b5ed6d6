import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { answer, http } from '@/api/client'
import { beginOf } from './events'

export interface AuditFilter {
  kind: string
  hmc: string
  /** First and last day, as a date field writes them. */
  from: string
  to: string
  search: string
  page: number
}

/** What is empty is not asked about; the last day counts to its end. */
function queryOf({ kind, hmc, from, to, search, page }: AuditFilter) {
  const wanted = { kind, hmc: hmc.trim(), search: search.trim(), from: beginOf(from) ?? '', to: beginOf(to, 1) ?? '' }
  return { page: page - 1, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== '')) }
}

/** One page of what happened, newest first. */
export const useAudit = (filter: AuditFilter) =>
  useQuery({
    queryKey: ['audit', filter],
    queryFn: ({ signal }) => answer(http.GET('/logs/audit', { params: { query: queryOf(filter) }, signal }), 'events*'),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
