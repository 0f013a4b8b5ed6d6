import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { refreshVehicleCountsThrottled, updateVehicleCache } from '@/api/vehicleCache'
import { apiClient, unwrapResponse } from '@/api/client'
import { useOpenConflicts } from '@/api/conflicts'
import { queryKeys } from '@/api/queryKeys'
import { useCancelAndRefetch } from '@/api/useCancelAndRefetch'
import type { Campaign, ListedVehicle, Vehicle } from '@/api/types'
import { writeInspectionDraft } from '@/lib/inspectionDrafts'
import { toIdentifierKey } from '@/lib/identifier'
import { createIdentifierIndex, matchTextToVehicles } from '@/lib/match'
import { findNextVehicle } from '@/lib/nextVehicles'
import { getPendingSaves, RejectedSaveError, useOutbox, usePendingSaves, applyPendingSavesToVehicle, applyPendingSavesToList, type SaveRequest } from '@/offline/outbox'
import { campaignQuery, vehicleListQuery, vehicleQuery } from '@/offline/queries'

export const useCampaign = (id: number) => useQuery(campaignQuery(id, null))

/** Fetches one page of the vehicles that the server finds for `search`. This page is shown until the full vehicle list is loaded. */
export const useVehicleRowsFromServer = (campaign: number, { search, page }: { search: string; page: number }, enabled: boolean) =>
  useQuery({
    queryKey: queryKeys.vehiclePage(campaign, search.trim(), page, null),
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/vehicles/campaign/{id}', { params: { path: { id: campaign }, query: { page: page - 1, search: search.trim() } }, signal }), 'vehicles*'),
    select: ({ vehicles }): ListedVehicle[] => vehicles,
    enabled,
    retry: false,
  })

/** Returns the ids of a campaign's vehicles that have an open conflict. Requests the conflicts only while `enabled` is true. */
export function useConflictedVehicleIds(campaign: number, enabled: boolean): ReadonlySet<number> {
  const data = useOpenConflicts(campaign, enabled)
  return useMemo(() => new Set(data?.conflicts.map(({ vehicle_id }) => vehicle_id)), [data])
}

/**
 * Time in milliseconds for which a fetched vehicle counts as up to date. The data that `prefetch` requested is therefore not requested again
 * when the page opens. A save or a live event invalidates the data at once.
 */
const PREFETCHED_FRESH_MS = 5000

/** Returns a vehicle with this device's pending saves applied, except the save being edited, whose outbox position is `excludedSeq`. */
export function useVehicle(id: number, yard: number | null, excludedSeq?: number) {
  const query = vehicleQuery(id, yard)
  const { data, isPending, isError, error } = useQuery({ ...query, staleTime: PREFETCHED_FRESH_MS })
  const refetch = useCancelAndRefetch(query.queryKey)
  const own = usePendingSaves().get(id)
  const shown = useMemo(() => (data && own ? applyPendingSavesToVehicle(data, own.filter(({ seq }) => seq !== excludedSeq)) : data), [data, own, excludedSeq])
  return { data: shown, isPending, isError, error, refetch }
}

/** Saves a vehicle: stores the save in this device's outbox, sends the save, and puts the saved vehicle into the query cache. */
export function useSaveVehicle() {
  const queries = useQueryClient()
  const outbox = useOutbox()
  return useMutation({
    mutationFn: async ({ request, key }: { request: SaveRequest; key: string }) => {
      const dropDraft = () => writeInspectionDraft(request.owner, request.vehicle, null) // done here, since the screen may already be unmounted
      try {
        const result = await outbox.save(request, key)
        dropDraft()
        return result
      } catch (error) {
        if (error instanceof RejectedSaveError) dropDraft() // the outbox now stores the typed values
        throw error
      }
    },
    onSuccess: (result, { request }) => {
      if (result.kind === 'saved') updateVehicleCache(queries, result.vehicle, request.yard)
      refreshVehicleCountsThrottled(queries)
    },
  })
}

/**
 * Returns the id of the next vehicle to inspect, chosen from the cached list with pending saves applied. Without a cached list, returns the
 * vehicle that the server chooses without knowing the pending saves.
 */
export function findNextVehicleInCache(queries: QueryClient, vehicle: Vehicle, yard: number | null): number | null {
  const list = queries.getQueryData(vehicleListQuery(vehicle.campaign_id).queryKey)
  if (list === undefined) return vehicle.next ?? null
  return findNextVehicle(applyPendingSavesToList(list, getPendingSaves()), yard, vehicle.id).next?.id ?? null
}

export interface VehicleInOtherCampaign {
  campaign: string
  vehicle: { id: number; vin_number: string; parking_space: string; status: string; inspected: boolean }
}

const OPEN_CAMPAIGNS = 30
const AT_ONCE = 3
const SERIAL = 6
const CANDIDATES = 50

/** Searches the other open campaigns for the vehicle with a scanned or typed code. Returns null when no campaign has exactly one match. */
export const useFindVehicleInOtherCampaigns = (text: string, campaign: number, enabled: boolean) =>
  useQuery({
    queryKey: queryKeys.vehicleElsewhere(campaign, toIdentifierKey(text)),
    queryFn: async ({ signal }) => {
      const query = { page: 0, per_page: OPEN_CAMPAIGNS, status: 'ongoing' as const }
      const { campaigns } = await unwrapResponse(apiClient.GET('/campaigns', { params: { query }, signal }), 'campaigns*')
      const others = campaigns.filter(({ id }) => id !== campaign)
      for (let start = 0; start < others.length; start += AT_ONCE) {
        const found = await Promise.all(others.slice(start, start + AT_ONCE).map((other) => vehicleIn(other, text, signal)))
        const first = found.find((vehicle) => vehicle !== null)
        if (first) return first
      }
      return null
    },
    enabled,
    staleTime: 60_000,
    retry: false,
  })

async function vehicleIn({ id, name }: Campaign, text: string, signal: AbortSignal): Promise<VehicleInOtherCampaign | null> {
  const query = { page: 0, per_page: CANDIDATES, search: toIdentifierKey(text).slice(-SERIAL) }
  const { vehicles } = await unwrapResponse(apiClient.GET('/vehicles/campaign/{id}', { params: { path: { id }, query }, signal }), 'vehicles*')
  const found = matchTextToVehicles(text, createIdentifierIndex(vehicles))
  return found.kind === 'one' ? { campaign: name, vehicle: found.vehicle } : null
}
