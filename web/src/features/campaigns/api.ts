import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { refreshVehicleCounts } from '@/api/vehicleCache'
import { apiClient, unwrapResponse } from '@/api/client'
import { downloadFile } from '@/api/files'
import { queryKeys } from '@/api/queryKeys'
import { useCancelAndRefetch } from '@/api/useCancelAndRefetch'
import { ApiProblem } from '@/api/apiProblem'
import { CAMPAIGN_REQUIRED_FIELDS } from '@/api/requiredFields'
import type { Campaign, CampaignSearchParams, CampaignStatus, InspectionPace, Yard, YardVehicleCount } from '@/api/types'
import { isCampaignAvailableOffline } from '@/offline/offlineCampaigns'
import { requestPersistentStorage } from '@/offline/database'
import { countUnsentInspections, usePendingSaves } from '@/offline/outbox'
import { allYardsQuery, campaignQuery, campaignPageQuery, yardVehicleCountsQuery } from '@/offline/queries'
import { storeOcrFiles } from '@/offline/ocrFiles'
import { downloadSnapshot as saveSnapshot } from '@/offline/snapshots'
import { getStartOfDay } from './dashboard/workingHours'
import type { YardProgress } from './YardProgressStrip'

/**
 * Interval in milliseconds at which the inspection rate is polled. Polling keeps the rate current while the event stream is disconnected.
 */
const PACE_MS = 60_000

const ACTIVITY_SHAPE = 'hours* yards* people* total# inspected# inspected_before#'

type Pending = ReturnType<typeof usePendingSaves>

/** Campaign whose progress includes this device's pending (unsent) saves. `unsent` is the number of inspected vehicles in these saves. */
export type CampaignWithPendingSaves = Campaign & { unsent: number }

function counted(campaign: Campaign, pending: Pending, yard: number | null): CampaignWithPendingSaves {
  const unsent = Math.min(countUnsentInspections(pending, campaign.id, yard), campaign.total_vehicles - campaign.total_inspected)
  return { ...campaign, unsent, total_inspected: campaign.total_inspected + unsent }
}

export function useCampaigns(search: CampaignSearchParams) {
  const query = campaignPageQuery(search)
  const { data, isPending, isError, error } = useQuery(query)
  const refetch = useCancelAndRefetch(query.queryKey)
  const pending = usePendingSaves()
  const shown = useMemo(() => data && { ...data, campaigns: data.campaigns.map((one) => counted(one, pending, search.yard ?? null)) }, [data, pending, search.yard])
  return { data: shown, isPending, isError, error, refetch }
}

/** Fetches the first page of the campaigns that wait for a review, with their total number. */
export const useCampaignsPendingReview = (enabled: boolean) => useQuery({ ...campaignPageQuery({ page: 0, search: '', status: 'Pending Review' }), enabled })

export function useCampaign(id: number, yard: number | null) {
  const query = campaignQuery(id, yard)
  const { data, isPending, isError, error } = useQuery(query)
  const refetch = useCancelAndRefetch(query.queryKey)
  const pending = usePendingSaves()
  const shown = useMemo(() => data && counted(data, pending, yard), [data, pending, yard])
  return { data: shown, isPending, isError, error, refetch }
}

/** Downloads the vehicles of a campaign, or of one of its yards, for use offline. */
export const useDownloadCampaignForOffline = () =>
  useMutation({
    mutationFn: async ({ campaign, yard }: { campaign: Campaign; yard: number | null }) => {
      const persisted = await requestPersistentStorage()
      await saveSnapshot(campaign, yard)
      storeOcrFiles().catch(() => undefined) // character recognition is optional: the list is available without it
      return persisted
    },
  })

/** Returns the name of the yard with this id: `null` when the yard does not exist, `undefined` while loading. */
export function useYardName(id: number): string | null | undefined {
  const yards = useQuery(allYardsQuery).data
  return yards && (yards.find((yard) => yard.id === id)?.name ?? null)
}

/** Starts a campaign: changes its status from Ready to Ongoing. */
export function useStartCampaign() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: number) =>
      unwrapResponse(apiClient.PUT('/campaigns/{id}', { params: { path: { id } }, body: { status: 'Ongoing' } }), CAMPAIGN_REQUIRED_FIELDS).catch((error: unknown) => {
        // Offline, no request is needed: the first inspection that reaches the server starts the campaign.
        if (!(error instanceof ApiProblem) || error.status !== 0 || !isCampaignAvailableOffline(id)) throw error
      }),
    onSettled: () => refreshVehicleCounts(queries),
  })
}

/** Changes the status of a campaign. */
export function useSetCampaignStatus() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, status }: { id: number; status: CampaignStatus }) => unwrapResponse(apiClient.PUT('/campaigns/{id}', { params: { path: { id } }, body: { status } }), CAMPAIGN_REQUIRED_FIELDS),
    onSettled: () => refreshVehicleCounts(queries),
  })
}

/** Sets the due date of a campaign, or removes the due date if the new value is `null`. */
export function useSetDueDate(id: number) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (due_at: string | null) => unwrapResponse(apiClient.PUT('/campaigns/{id}', { params: { path: { id } }, body: { due_at } }), CAMPAIGN_REQUIRED_FIELDS),
    onSettled: () => refreshVehicleCounts(queries),
  })
}

/** Downloads the vehicles of a campaign as a workbook. */
export const useDownloadVehicleReport = () =>
  useMutation({ mutationFn: ({ id, name }: Campaign) => downloadFile(`/campaigns/${id}/generate_campaign_vehicle_report`, `report_${name}.xlsx`) })

/** Fetches the progress of each yard over all campaigns, with this device's pending saves. */
export function useAllCampaignsYardProgress() {
  const { data, isPending } = useQuery({ ...allYardsQuery, select: (yards): YardProgress[] => yards.map(ofYard) })
  return { data: useYardsWithPendingSaves(data, null), isPending }
}
const ofYard = (yard: Yard): YardProgress => ({ id: yard.id, name: yard.name, done: yard.vehicles_inspected_count, total: yard.vehicles_count })

/** Fetches the progress of each yard in one campaign, with this device's pending saves. */
export function useCampaignYardProgress({ id, name }: Pick<Campaign, 'id' | 'name'>) {
  const { data, isPending, isError, refetch } = useQuery({ ...yardVehicleCountsQuery(name), select: (yards): YardProgress[] => yards.map(ofCount) })
  return { data: useYardsWithPendingSaves(data, id), isPending, isError, refetch }
}
const ofCount = (yard: YardVehicleCount): YardProgress => ({ id: yard.yard_id, name: yard.yard_name, done: yard.inspected_vehicles, total: yard.total_vehicles })

/**
 * Adds the inspections in this device's pending saves to the number of inspected vehicles of each yard. Counts the pending saves of one
 * campaign, or of all campaigns if `campaign` is null.
 */
function useYardsWithPendingSaves(yards: YardProgress[] | undefined, campaign: number | null): YardProgress[] | undefined {
  const pending = usePendingSaves()
  return useMemo(() => yards?.map((yard) => ({ ...yard, done: yard.done + Math.min(countUnsentInspections(pending, campaign, yard.id), yard.total - yard.done) })), [yards, pending, campaign])
}

/** Fetches the inspection rate of a campaign. The event stream keeps the rate up to date. A closed campaign has no rate. */
export function useInspectionPace({ id, status }: Pick<Campaign, 'id' | 'status'>): InspectionPace | undefined {
  const enabled = status !== 'Closed'
  const { data } = useQuery({
    queryKey: queryKeys.pace(id),
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/campaigns/{id}/pace', { params: { path: { id } }, signal }), 'people*'),
    enabled,
    refetchInterval: PACE_MS,
    retry: false,
  })
  return enabled ? data : undefined
}

const DAY_MS = 86_400_000
const MAX_DAYS = 91
const DAYS_OF_ALL = 7

/** Fetches the inspection counts of a campaign per hour, yard and person, since its creation but at most for the last `MAX_DAYS` days. */
export const useCampaignActivity = ({ id, created_at }: Pick<Campaign, 'id' | 'created_at'>) =>
  useQuery({
    queryKey: queryKeys.activity(id),
    queryFn: ({ signal }) => {
      const from = new Date(Math.max(Date.parse(created_at), Date.now() - MAX_DAYS * DAY_MS)).toISOString()
      return unwrapResponse(apiClient.GET('/campaigns/{id}/activity', { params: { path: { id }, query: { from } }, signal }), ACTIVITY_SHAPE)
    },
    retry: false,
  })

/** Fetches the inspection counts of all campaigns per hour, yard and person, for the last `DAYS_OF_ALL` days. */
export const useAllCampaignsActivity = (enabled: boolean) =>
  useQuery({
    queryKey: queryKeys.activity(null),
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/activity', { params: { query: { from: new Date(Date.now() - DAYS_OF_ALL * DAY_MS).toISOString() } }, signal }), ACTIVITY_SHAPE),
    enabled,
    retry: false,
  })

/** Fetches today's inspection counts of all campaigns per hour, yard and person. An operator gets only their own work in `people`. */
export const useOwnActivityToday = () =>
  useQuery({
    queryKey: queryKeys.ownActivity,
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/activity', { params: { query: { from: new Date(getStartOfDay(Date.now())).toISOString() } }, signal }), ACTIVITY_SHAPE),
    retry: false,
  })

/** Time in milliseconds without a change after which a vehicle with the status Repair counts as a long repair. */
const LONG_REPAIR_MS = 2 * DAY_MS
/** Maximum number of vehicles in repair that are loaded: the server's limit for one page. */
const MAX_REPAIRS = 200

/**
 * Fetches the number of long repairs in a campaign: vehicles with the status Repair that have not changed for at least `LONG_REPAIR_MS`.
 */
export const useLongRepairCount = (campaign: number, enabled: boolean) =>
  useQuery({
    queryKey: queryKeys.longRepairs(campaign),
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/vehicles/campaign/{id}', { params: { path: { id: campaign }, query: { page: 0, per_page: MAX_REPAIRS, status: 'Repair' } }, signal }), 'vehicles*'),
    select: ({ vehicles }) => vehicles.filter(({ modified_at: at }) => at && Date.now() - Date.parse(at) >= LONG_REPAIR_MS).length,
    enabled,
    retry: false,
  })

/** Fetches the inspection rates (vehicles per hour) of several campaigns in one request. Returns an empty list until they are loaded. */
export const useInspectionPaces = (campaigns: number[]): InspectionPace[] =>
  useQuery({
    queryKey: queryKeys.paces(campaigns),
    queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/pace', { params: { query: { campaigns: campaigns.join(',') } }, signal }), '*campaign_id#'),
    enabled: campaigns.length > 0,
    refetchInterval: PACE_MS,
    retry: false,
  }).data ?? []

/** Query for the saves of a campaign that users' devices have stored but not sent yet. */
export const pendingSavesOnDevicesQuery = (campaign: number) =>
  queryOptions({ queryKey: queryKeys.pendingOnDevices(campaign), queryFn: ({ signal }) => unwrapResponse(apiClient.GET('/campaigns/{id}/held', { params: { path: { id: campaign } }, signal }), 'held*'), retry: false })
