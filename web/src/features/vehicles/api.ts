import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { writeDraft } from '@/lib/drafts'
import { aheadOf } from '@/lib/walk'
import { indexOf, match } from '@/lib/match'
import { keyOf } from '@/lib/identifier'
import { answer, http } from '@/api/client'
import { keep, overlaid, overlaidList, pendingNow, refreshCountsSoon, save, usePending, type Work } from '@/api/outbox'
import { campaignQuery, vehicleQuery, wholeListQuery } from '@/api/queries'
import type { Campaign, ListedVehicle, Vehicle } from '@/api/types'

export const useCampaignHead = (id: number) => useQuery(campaignQuery(id, null))

/** The whole list, with what was saved here laid over it. */
export function useWholeList(campaign: number) {
  const { data, isError, error, refetch } = useQuery(wholeListQuery(campaign))
  const pending = usePending()
  const shown = useMemo(() => data && overlaidList(data, pending), [data, pending])
  return { data: shown, isError, error, refetch }
}

/** One page of what matches a search, as the server finds it, for the time in which the whole list is on its way. */
export const useEarlyRows = (campaign: number, { search, page }: { search: string; page: number }, enabled: boolean) =>
  useQuery({
    queryKey: ['vehicles', 'page', campaign, search.trim(), page, null],
    queryFn: ({ signal }) => answer(http.GET('/vehicles/campaign/{id}', { params: { path: { id: campaign }, query: { page: page - 1, search: search.trim() } }, signal }), 'vehicles*'),
    select: ({ vehicles }): ListedVehicle[] => vehicles,
    enabled,
    retry: false,
  })

/** A vehicle as its inspector left it, without one kept save that is being edited. */
export function useVehicle(id: number, yard: number | null, without?: number) {
  const { data, isPending, isError, error, refetch } = useQuery(vehicleQuery(id, yard))
  const own = usePending().get(id)
  const shown = useMemo(() => (data && own ? overlaid(data, own.filter(({ seq }) => seq !== without)) : data), [data, own, without])
  return { data: shown, isPending, isError, error, refetch }
}

/** Saves through the disk of this device; what the server answered is put where screens look for it. */
export function useSaveVehicle() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ work, key }: { work: Work; key: string }) => {
      const result = await save(work, key)
      writeDraft(work.owner, work.vehicle, null) // here, because the screen may be gone by now
      return result
    },
    onSuccess: (result, { work }) => {
      if (result.kind === 'saved') keep(queries, result.vehicle, work.yard)
      refreshCountsSoon(queries)
    },
  })
}

/** The next vehicle when only this device knows of the last save. */
export function nextAfter(queries: QueryClient, vehicle: Vehicle, yard: number | null): number | null {
  const list = queries.getQueryData(wholeListQuery(vehicle.campaign_id).queryKey)
  if (list === undefined) return vehicle.next ?? null
  return aheadOf(overlaidList(list, pendingNow()), yard, vehicle.id).next?.id ?? null
}

export interface ElsewhereVehicle {
  campaign: string
  vehicle: { id: number; vin_number: string; parking_space: string; status: string; inspected: boolean }
}

const OPEN_CAMPAIGNS = 30
const AT_ONCE = 3
const SERIAL = 6
const CANDIDATES = 50

/** The vehicle of another open campaign that a scan stands for; asked only when this campaign has none. */
export const useOtherCampaigns = (text: string, campaign: number, enabled: boolean) =>
  useQuery({
    queryKey: ['vehicles', 'elsewhere', campaign, keyOf(text)],
    queryFn: async ({ signal }) => {
      const query = { page: 0, per_page: OPEN_CAMPAIGNS, status: 'ongoing' as const }
      const { campaigns } = await answer(http.GET('/campaigns', { params: { query }, signal }), 'campaigns*')
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

async function vehicleIn({ id, name }: Campaign, text: string, signal: AbortSignal): Promise<ElsewhereVehicle | null> {
  const query = { page: 0, per_page: CANDIDATES, search: keyOf(text).slice(-SERIAL) }
  const { vehicles } = await answer(http.GET('/vehicles/campaign/{id}', { params: { path: { id }, query }, signal }), 'vehicles*')
  const found = match(text, indexOf(vehicles))
  return found.kind === 'one' ? { campaign: name, vehicle: found.vehicle } : null
}
