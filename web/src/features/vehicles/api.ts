import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { answer, http } from '@/api/client'
import { campaignQuery, refreshCounts, vehicleQuery, wholeListQuery } from '@/api/queries'
import type { ListedVehicle, Vehicle, VehicleInput } from '@/api/types'

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
