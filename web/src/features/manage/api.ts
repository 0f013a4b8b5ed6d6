import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { refreshVehicleCounts } from '@/api/vehicleCache'
import { fetchRawResponse, apiClient, unwrapResponse } from '@/api/client'
import { downloadFile, buildFileFormData } from '@/api/files'
import { jobsQuery } from '@/api/jobs'
import { queryKeys } from '@/api/queryKeys'
import { BULK_RESULT_REQUIRED_FIELDS, VEHICLE_REQUIRED_FIELDS } from '@/api/requiredFields'
import type { BulkParkingSpaceRequest, BulkStatusRequest, Campaign, CampaignSearchParams, CsvUpdateResult, Job, Vehicle, VehicleUpdate } from '@/api/types'
import { allCampaignsQuery, allYardsQuery, campaignPageQuery, campaignQuery } from '@/offline/queries'

export const useManagedCampaigns = (search: CampaignSearchParams) => useQuery(campaignPageQuery(search))
export const useAllCampaigns = () => useQuery(allCampaignsQuery)
/** Fetches a campaign with the counts of all its yards, also when the cache already has it. */
export const useWholeCampaign = (id: number, enabled: boolean) => useQuery({ ...campaignQuery(id, null), enabled, staleTime: 0 })
export const useAllYards = () => useQuery(allYardsQuery)

/** Returns a function that refetches all vehicle and campaign queries after a bulk change. */
function useRefreshAll() {
  const queries = useQueryClient()
  return () => Promise.all([refreshVehicleCounts(queries), queries.invalidateQueries({ queryKey: queryKeys.vehicles }), queries.invalidateQueries({ queryKey: queryKeys.jobs }), queries.invalidateQueries({ queryKey: queryKeys.previews, refetchType: 'none' })])
}

export const useDeleteCampaign = () =>
  useMutation({
    mutationFn: ({ id }: Campaign) => unwrapResponse(apiClient.DELETE('/campaigns/{id}', { params: { path: { id } } })),
    onSettled: useRefreshAll(),
  })

/** Fetches one page of the vehicles of a campaign that match the search. */
export const useCampaignVehicles = (campaign: number | null, search: string, page: number, yard: number | null) =>
  useQuery({
    queryKey: queryKeys.vehiclePage(campaign, search, page, yard),
    queryFn: ({ signal }) =>
      unwrapResponse(
        apiClient.GET('/vehicles/campaign/{id}', {
          params: { path: { id: campaign ?? 0 }, query: { page: page - 1, search, ...(yard === null ? {} : { yard }) } },
          signal,
        }),
        'vehicles*',
      ),
    enabled: campaign !== null,
    placeholderData: keepPreviousData,
  })

export const useUpdateVehicle = () =>
  useMutation({
    mutationFn: ({ vehicle, version, input }: { vehicle: Vehicle; version: number; input: VehicleUpdate }) =>
      unwrapResponse(apiClient.PUT('/vehicles/{id}', { params: { path: { id: vehicle.id }, header: { 'If-Match': `"${version}"` } }, body: input }), VEHICLE_REQUIRED_FIELDS),
    onSettled: useRefreshAll(),
  })

const sendStatus = (body: BulkStatusRequest, signal?: AbortSignal) => unwrapResponse(apiClient.POST('/vehicles/bulk/status', { body, signal }), BULK_RESULT_REQUIRED_FIELDS)
const sendSpaces = (body: BulkParkingSpaceRequest, signal?: AbortSignal) => unwrapResponse(apiClient.POST('/vehicles/bulk/parking-space', { body, signal }), BULK_RESULT_REQUIRED_FIELDS)

/** Maximum number of vehicles that the server lists in a preview. */
export const MAX_PREVIEWED_VEHICLES = 1_000

/** Time in milliseconds for which the query cache keeps a preview that is no longer shown. */
const PREVIEW_KEPT_MS = 30_000

/**
 * Requests a dry run of a bulk status change. `body` is `null`, and no request is sent, until the form is complete. While a longer list of
 * the same change is loading, the result is the shorter list.
 */
export const usePreviewStatusChange = (body: BulkStatusRequest | null) =>
  useQuery({
    queryKey: queryKeys.statusPreview(body),
    queryFn: ({ signal }) => sendStatus({ vins: [], action: 'insert', ...body, dry_run: true }, signal),
    enabled: body !== null,
    gcTime: PREVIEW_KEPT_MS,
    placeholderData: (shorter) => (body?.preview_limit === undefined ? undefined : shorter),
  })

/** Requests a dry run of a bulk change of parking spaces, like `usePreviewStatusChange`. */
export const usePreviewParkingSpaceChange = (body: BulkParkingSpaceRequest | null) =>
  useQuery({
    queryKey: queryKeys.spacePreview(body),
    queryFn: ({ signal }) => sendSpaces({ rows: [], ...body, dry_run: true }, signal),
    enabled: body !== null,
    gcTime: PREVIEW_KEPT_MS,
    placeholderData: (shorter) => (body?.preview_limit === undefined ? undefined : shorter),
  })

export const useChangeVehicleStatuses = () => useMutation({ mutationFn: (body: BulkStatusRequest) => sendStatus(body), onSettled: useRefreshAll() })
export const useChangeParkingSpaces = () => useMutation({ mutationFn: (body: BulkParkingSpaceRequest) => sendSpaces(body), onSettled: useRefreshAll() })

/** Downloads a campaign as a workbook with one sheet per yard. */
export const useExportCampaignByYard = () =>
  useMutation({ mutationFn: ({ id, name }: Campaign) => downloadFile(`/campaigns/${id}/export_all_yards`, `${name}.xlsx`) })

/** Converts a workbook into an SQL script named after the campaign and downloads the script. */
export const useConvertWorkbookToSql = () =>
  useMutation({
    mutationFn: async ({ campaign: { name }, file }: { campaign: Campaign; file: File }) => {
      const body = await buildFileFormData('file', file)
      body.append('campaignName', name)
      return downloadFile('/convert-to-sql', `${name} SQL Data.sql`, { method: 'POST', body })
    },
  })

async function sendCsv(path: string, file: File): Promise<CsvUpdateResult> {
  const body = await buildFileFormData('file', file)
  const response = await fetchRawResponse(path, { method: 'POST', body })
  return response.json()
}

/** Validates a CSV file on the server without changing any vehicle. Returns the errors in the file, or a preview of the changes. */
export const useValidateVehicleCsv = () => useMutation({ mutationFn: (file: File) => sendCsv('/vehicles/csv/validate', file) })
export const useApplyVehicleCsv = () => useMutation({ mutationFn: (file: File) => sendCsv('/vehicles/csv', file), onSettled: useRefreshAll() })

/** Fetches the imports and bulk changes of the last 90 days, newest first. */
export const useJobs = () => useQuery(jobsQuery)

export const useUndoJob = () =>
  useMutation({
    mutationFn: ({ id }: Job) => unwrapResponse(apiClient.POST('/jobs/{id}/undo', { params: { path: { id } } }), 'left*'),
    onSettled: useRefreshAll(),
  })
