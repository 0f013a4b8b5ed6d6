import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/queryKeys'
import { useSession } from '@/api/session'
import type { AuditEvent, Campaign } from '@/api/types'
import { usersQuery } from '@/api/usersQuery'
import { campaignNamesQuery } from '@/offline/queries'
import { getDayStartIsoTimestamp } from './auditEvents'
import { parseAuditSubject, readRecordedHmc } from './auditSubjects'

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

/** Names that the list shows instead of the numbers in the events. */
export interface AuditNames {
  /** Returns the login name (HMC) of a user; undefined while it is unknown. */
  hmcOf: (userId: string) => string | undefined
  campaigns: readonly Campaign[]
}

/**
 * Loads the names of the users and campaigns in the events. A user who is deleted has the login name that an event recorded. Users and
 * campaigns whose names cannot be loaded keep their numbers.
 */
export function useAuditNames(events: AuditEvent[]): AuditNames {
  const own = useSession()?.user
  const kinds = events.map(({ subject }) => parseAuditSubject(subject)?.kind)
  const users = useQuery({ ...usersQuery, enabled: kinds.includes('user') }).data
  const campaigns = useQuery({ ...campaignNamesQuery, enabled: kinds.includes('vehicle') }).data ?? []
  const names = useMemo(() => {
    const recorded = events.flatMap((event): [string, string][] => {
      const [subject, hmc] = [parseAuditSubject(event.subject), readRecordedHmc(event)]
      return subject?.kind === 'user' && hmc !== null ? [[subject.id, hmc]] : []
    })
    // The list of users lacks the developer account, which reads this list.
    const reader: [string, string][] = own === undefined ? [] : [[String(own.id), own.hmc]]
    return new Map([...recorded.toReversed(), ...reader, ...(users?.map(({ id, hmc }): [string, string] => [String(id), hmc]) ?? [])])
  }, [events, users, own])
  return { hmcOf: (id) => names.get(id), campaigns }
}
