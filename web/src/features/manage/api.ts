import { BULK, VEHICLE } from '@/api/shape'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, http, raw } from '@/api/client'
import { download, formWith } from '@/api/files'
import { allCampaignsQuery, allYardsQuery, campaignsQuery, refreshCounts, type CampaignSearch } from '@/api/queries'
import type { BulkSpaces, BulkStatus, Campaign, CsvResult, Job, Vehicle, VehicleInput } from '@/api/types'

export const useManagedCampaigns = (search: CampaignSearch) => useQuery(campaignsQuery(search))
export const useCampaignChoices = () => useQuery(allCampaignsQuery)
export const useYardChoices = () => useQuery(allYardsQuery)

/** What a change of many vehicles or campaigns leaves to be fetched again. */
function useRefreshAll() {
  const queries = useQueryClient()
  return () => Promise.all([refreshCounts(queries), queries.invalidateQueries({ queryKey: ['vehicles'] }), queries.invalidateQueries({ queryKey: ['jobs'] }), queries.invalidateQueries({ queryKey: ['bulk'], refetchType: 'none' })])
}

export const useDeleteCampaign = () =>
  useMutation({
    mutationFn: ({ id }: Campaign) => answer(http.DELETE('/campaigns/{id}', { params: { path: { id } } })),
    onSettled: useRefreshAll(),
  })

/** One page of a campaign's vehicles that match a search. */
export const useVehiclesOf = (campaign: number | null, search: string, page: number, yard: number | null) =>
  useQuery({
    queryKey: ['vehicles', 'page', campaign, search, page, yard],
    queryFn: ({ signal }) =>
      answer(
        http.GET('/vehicles/campaign/{id}', {
          params: { path: { id: campaign ?? 0 }, query: { page: page - 1, search, ...(yard === null ? {} : { yard }) } },
          signal,
        }),
    'vehicles*',
  ),
    enabled: campaign !== null,
    placeholderData: keepPreviousData,
  })

export const useSaveVehicle = () =>
  useMutation({
    mutationFn: ({ vehicle, version, input }: { vehicle: Vehicle; version: number; input: VehicleInput }) =>
      answer(http.PUT('/vehicles/{id}', { params: { path: { id: vehicle.id }, header: { 'If-Match': `"${version}"` } }, body: input }), VEHICLE),
    onSettled: useRefreshAll(),
  })

const sendStatus = (body: BulkStatus, signal?: AbortSignal) => answer(http.POST('/vehicles/bulk/status', { body, signal }), BULK)
const sendSpaces = (body: BulkSpaces, signal?: AbortSignal) => answer(http.POST('/vehicles/bulk/parking-space', { body, signal }), BULK)

/** How long the answer to a list that is no longer shown is kept. */
const PREVIEW_KEPT_MS = 30_000

/** What a change would do, asked for as soon as there is one to ask about. */
export const useStatusPreview = (body: BulkStatus | null) =>
  useQuery({
    queryKey: ['bulk', 'status', body],
    queryFn: ({ signal }) => sendStatus({ vins: [], action: 'insert', ...body, dry_run: true }, signal),
    enabled: body !== null,
    gcTime: PREVIEW_KEPT_MS,
  })

export const useSpacePreview = (body: BulkSpaces | null) =>
  useQuery({
    queryKey: ['bulk', 'space', body],
    queryFn: ({ signal }) => sendSpaces({ rows: [], ...body, dry_run: true }, signal),
    enabled: body !== null,
    gcTime: PREVIEW_KEPT_MS,
  })

export const useStatusChange = () => useMutation({ mutationFn: (body: BulkStatus) => sendStatus(body), onSettled: useRefreshAll() })
export const useSpaceChange = () => useMutation({ mutationFn: (body: BulkSpaces) => sendSpaces(body), onSettled: useRefreshAll() })

/** Saves a campaign as a workbook with a sheet for each yard. */
export const useYardsExport = () =>
  useMutation({ mutationFn: ({ id, name }: Campaign) => download(`/campaigns/${id}/export_all_yards`, `${name}.xlsx`) })

/** Turns a workbook into a script under a campaign's name, and saves it. */
export const useSqlScript = () =>
  useMutation({
    mutationFn: async ({ campaign: { name }, file }: { campaign: Campaign; file: File }) => {
      const body = await formWith('file', file)
      body.append('campaignName', name)
      return download('/convert-to-sql', `${name} SQL Data.sql`, { method: 'POST', body })
    },
  })

async function sendCsv(path: string, file: File): Promise<CsvResult> {
  const body = await formWith('file', file)
  const response = await raw(path, { method: 'POST', body })
  return response.json()
}

/** What a CSV file would change, and what is wrong with it. */
export const useCsvCheck = () => useMutation({ mutationFn: (file: File) => sendCsv('/vehicles/csv/validate', file) })
export const useCsvChange = () => useMutation({ mutationFn: (file: File) => sendCsv('/vehicles/csv', file), onSettled: useRefreshAll() })

/** Imports and changes of many vehicles, newest first. */
export const useJobs = (page: number) =>
  useQuery({
    queryKey: ['jobs', page],
    queryFn: ({ signal }) => answer(http.GET('/jobs', { params: { query: { page: page - 1 } }, signal }), 'jobs*'),
    placeholderData: keepPreviousData,
  })

export const useUndoJob = () =>
  useMutation({
    mutationFn: ({ id }: Job) => answer(http.POST('/jobs/{id}/undo', { params: { path: { id } } }), 'left*'),
    onSettled: useRefreshAll(),
  })
