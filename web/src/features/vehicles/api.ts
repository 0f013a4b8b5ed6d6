import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { indexOf, match } from '@/lib/match'
import { keyOf } from '@/lib/identifier'
import { answer, http } from '@/api/client'
import { campaignQuery, refreshCounts, vehicleQuery, wholeListQuery } from '@/api/queries'
import type { Campaign, ListedVehicle, Vehicle, VehicleInput } from '@/api/types'

export const useCampaignHead = (id: number) => useQuery(campaignQuery(id, null))
export const useWholeList = (campaign: number, enabled = true) => useQuery({ ...wholeListQuery(campaign), enabled })
/** One page of what matches a search, as the server finds it, for the time in which the whole list is on its way. */
export const useEarlyRows = (campaign: number, { search, page }: { search: string; page: number }, enabled: boolean) =>
  useQuery({
    queryKey: ['vehicles', 'page', campaign, search.trim(), page, null],
    queryFn: ({ signal }) => answer(http.GET('/vehicles/campaign/{id}', { params: { path: { id: campaign }, query: { page: page - 1, search: search.trim() } }, signal })),
    select: ({ vehicles }): ListedVehicle[] => vehicles,
    enabled,
    retry: false,
  })

export const useVehicle = (id: number, yard: number | null) => useQuery(vehicleQuery(id, yard))

export interface Save {
  id: number
  yard: number | null
  /** The version that the entry started from; an older one than the stored is refused. */
  version: number
  /** The same for every try of the same save, so that it is done once. */
  key: string
  input: VehicleInput
}

export function useSaveVehicle() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, yard, version, key, input }: Save) =>
      answer(
        http.PUT('/vehicles/{id}', {
          params: {
            path: { id },
            query: yard === null ? {} : { yard },
            header: { 'If-Match': `"${version}"`, 'Idempotency-Key': key },
          },
          body: input,
        }),
      ),
    onSuccess: (saved, { yard }) => {
      keep(queries, saved, yard)
      void refreshCounts(queries)
    },
  })
}

/** Puts a vehicle as the server has it now where screens will look for it. */
export function keep(queries: QueryClient, vehicle: Vehicle, yard: number | null): void {
  queries.setQueryData(vehicleQuery(vehicle.id, yard).queryKey, vehicle)
  void queries.invalidateQueries({ queryKey: ['vehicles', 'one'], predicate: ({ queryKey }) => queryKey[2] !== vehicle.id })
  queries.setQueryData(wholeListQuery(vehicle.campaign_id).queryKey, (list?: ListedVehicle[]) =>
    list?.map((listed) => (listed.id === vehicle.id ? { ...listed, ...rowOf(vehicle) } : listed)),
  )
}

const rowOf = ({ vin_number, parking_space, yard_group, id_yard, status, inspected, version }: Vehicle) => ({
  vin_number,
  parking_space,
  yard_group,
  id_yard,
  status,
  inspected,
  version,
})

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
      const { campaigns } = await answer(http.GET('/campaigns', { params: { query }, signal }))
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
  const { vehicles } = await answer(http.GET('/vehicles/campaign/{id}', { params: { path: { id }, query }, signal }))
  const found = match(text, indexOf(vehicles))
  return found.kind === 'one' ? { campaign: name, vehicle: found.vehicle } : null
}
