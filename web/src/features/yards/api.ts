import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiClient, unwrapResponse } from '@/api/client'
import { findLatestSaveByPerson } from '@/api/latestSaves'
import { queryKeys } from '@/api/queryKeys'
import { useCancelAndRefetch } from '@/api/useCancelAndRefetch'
import type { Campaign, InspectionPace, Yard, YardVehicleCount } from '@/api/types'
import { countUnsentInspections, usePendingSaves } from '@/offline/outbox'
import { allCampaignsQuery, allYardsQuery, yardVehicleCountsQuery } from '@/offline/queries'
import { compareNamesNaturally, isVisibleYard } from '@/lib/yards'

export interface YardSummary {
  id: number
  name: string
  total: number
  inspected: number
}

const ofYard = (yard: Yard): YardSummary => ({ id: yard.id, name: yard.name, total: yard.vehicles_count, inspected: yard.vehicles_inspected_count })
const ofCount = (count: YardVehicleCount): YardSummary => ({ id: count.yard_id, name: count.yard_name, total: count.total_vehicles, inspected: count.inspected_vehicles })

export const useAllCampaigns = () => useQuery(allCampaignsQuery)

/**
 * Returns the yard summaries for the yard picker: all yards, or only the yards where the chosen campaign has vehicles. The summaries count
 * the pending saves of this device as inspected vehicles. If `waiting` is true, no yards are loaded until `campaign` is defined.
 */
export function useYardSummaries(campaign: Campaign | undefined, waiting: boolean) {
  const every = useQuery({ ...allYardsQuery, enabled: !waiting && campaign === undefined })
  const counted = useQuery({ ...yardVehicleCountsQuery(campaign?.name ?? ''), enabled: campaign !== undefined })
  const source = campaign === undefined ? every : counted
  const refetch = useCancelAndRefetch(campaign === undefined ? allYardsQuery.queryKey : yardVehicleCountsQuery(campaign.name).queryKey)
  const pending = usePendingSaves()
  const id = campaign?.id ?? null
  const [yards, counts] = [every.data, counted.data]
  const tiles = useMemo(() => {
    const all = id === null ? yards?.map(ofYard) : counts?.map(ofCount).filter(({ total }) => total > 0)
    return all?.filter(isVisibleYard).toSorted((a, b) => compareNamesNaturally(a.name, b.name))
      .map((tile) => ({ ...tile, inspected: tile.inspected + Math.min(countUnsentInspections(pending, id, tile.id), tile.total - tile.inspected) }))
  }, [id, yards, counts, pending])
  return { tiles, isError: source.isError, error: source.error, refetch }
}

/**
 * Interval in milliseconds at which the inspection rates are fetched. Polling keeps the rates current while the event stream is
 * disconnected.
 */
const PACE_MS = 60_000
/** Maximum number of campaigns whose inspection rates one request returns. */
const MAX_PACES = 200

const isWorkedOn = ({ status }: Campaign) => status === 'Ongoing' || status === 'Pending Review'

/** Returns the login names (HMCs) of the people who are inspecting, by the id of the yard where each person saved last. */
export function useActiveInspectorsByYard(campaign: Campaign | undefined, campaigns: Campaign[] | undefined): Map<number, string[]> {
  const ids = (campaign === undefined ? (campaigns ?? []) : [campaign]).filter(isWorkedOn).map(({ id }) => id).slice(0, MAX_PACES)
  const paces = useQuery({
    queryKey: queryKeys.paces(ids),
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/pace', { params: { query: { campaigns: ids.join(',') } }, signal }), '*campaign_id#'),
    enabled: ids.length > 0,
    refetchInterval: PACE_MS,
    retry: false,
  })
  return groupInspectorsByYard(paces.data ?? [])
}

/**
 * Groups the login names (HMCs) of people by the id of the yard where each person saved last, in any of the campaigns. The names of each
 * yard are sorted. People whose last save has no yard are left out.
 */
export function groupInspectorsByYard(paces: InspectionPace[]): Map<number, string[]> {
  const people = new Map<number, string[]>()
  for (const { yard_id, hmc } of findLatestSaveByPerson(paces).values()) {
    if (yard_id === null || yard_id === undefined) continue
    people.set(yard_id, [...(people.get(yard_id) ?? []), hmc].toSorted(compareNamesNaturally))
  }
  return people
}

export interface YardsByOccupancy {
  /** Yards with vehicles: first yards with uninspected vehicles, then finished yards. */
  busy: YardSummary[]
  empty: YardSummary[]
}

export const isYardFinished = ({ total, inspected }: YardSummary): boolean => total > 0 && inspected >= total

/**
 * Groups yards into yards with vehicles and yards without vehicles. Moves finished yards behind unfinished yards, and otherwise keeps the
 * order.
 */
export function groupYardsByOccupancy(yards: YardSummary[]): YardsByOccupancy {
  const withVehicles = yards.filter(({ total }) => total > 0)
  return {
    busy: [...withVehicles.filter((yard) => !isYardFinished(yard)), ...withVehicles.filter(isYardFinished)],
    empty: yards.filter(({ total }) => total === 0),
  }
}

/** Returns the colour of a yard tile for the number of vehicles in the yard. */
export function chooseYardTileColour(total: number): 'aqua' | 'sky' | 'seafoam' | 'slate' {
  if (total > 5000) return 'aqua'
  if (total > 1000) return 'sky'
  return total < 500 ? 'slate' : 'seafoam'
}
