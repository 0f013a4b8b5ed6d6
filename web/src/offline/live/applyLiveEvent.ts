import type { QueryClient } from '@tanstack/react-query'
import { refreshVehicleCountsThrottled } from '@/api/vehicleCache'
import type { ServerSentEvent } from '@/api/serverSentEvents'
import { queryKeys } from '@/api/queryKeys'
import { parseLiveEvent } from '@/api/liveEvents'
import type { FieldConflict, ListedVehicle, InspectionPace, Vehicle } from '@/api/types'
import { isCampaignAvailableOffline, offlineCampaigns } from '../offlineCampaigns'
import { applySnapshotDelta } from '../snapshots/delta'
import { refreshSnapshot } from '../snapshots/refresh'
import { writeSnapshotDelta } from '../snapshots/store'

/** Listener for conflicts between two saves of a vehicle; called when a conflict was found or resolved. */
export type ConflictListener = (conflict: FieldConflict) => void

/** Applies a change received from the server to the query cache and to the snapshots (vehicle lists stored for offline use). */
export function applyLiveEvent(queries: QueryClient, event: ServerSentEvent, onConflict: ConflictListener): void {
  const parsed = parseLiveEvent(event)
  switch (parsed?.kind) {
    case 'vehicles':
      return applyVehicles(queries, parsed.change.campaign_id, parsed.change.vehicles)
    case 'changed':
      return refreshVehicles(queries, parsed.change.campaign_id)
    case 'campaign':
      void queries.invalidateQueries({ queryKey: queryKeys.vehicleList(parsed.change.campaign_id) })
      return refreshVehicleCountsThrottled(queries)
    case 'pace':
      return applyPace(queries, parsed.change)
    case 'conflict':
      void queries.invalidateQueries({ queryKey: queryKeys.anyConflicts })
      return onConflict(parsed.change)
  }
}

function applyVehicles(queries: QueryClient, campaign: number, vehicles: ListedVehicle[]): void {
  queries.setQueryData<ListedVehicle[]>(queryKeys.vehicleList(campaign), (list) => list && applySnapshotDelta(list, vehicles))
  // List rows have no notes, so the full data of each changed vehicle in the cache is fetched again when a page shows it.
  const versions = new Map(vehicles.map(({ id, version }) => [id, version]))
  for (const [queryKey, known] of queries.getQueriesData<Vehicle>({ queryKey: queryKeys.anyVehicle })) {
    if (known !== undefined && (versions.get(known.id) ?? 0) > known.version) void queries.invalidateQueries({ queryKey, exact: true })
  }
  if (isCampaignAvailableOffline(campaign)) void writeSnapshotDelta(campaign, vehicles, {}).catch(() => undefined)
  refreshVehicleCountsThrottled(queries)
}

function applyPace(queries: QueryClient, pace: InspectionPace): void {
  queries.setQueryData(queryKeys.pace(pace.campaign_id), pace)
  const withCampaign = ({ queryKey: [, campaigns] }: { queryKey: readonly unknown[] }) => Array.isArray(campaigns) && campaigns.includes(pace.campaign_id)
  queries.setQueriesData<InspectionPace[]>({ queryKey: queryKeys.anyPaces, predicate: withCampaign }, (paces) => paces && [...paces.filter(({ campaign_id }) => campaign_id !== pace.campaign_id), pace])
}

/** Fetches the vehicles of a campaign again, because more vehicles have changed than one event can contain. */
function refreshVehicles(queries: QueryClient, campaign: number): void {
  if (isCampaignAvailableOffline(campaign)) void refreshSnapshot(queries, campaign).catch(() => undefined)
  else void queries.invalidateQueries({ queryKey: queryKeys.vehicleList(campaign) })
  void queries.invalidateQueries({ queryKey: queryKeys.anyVehicle })
  refreshVehicleCountsThrottled(queries)
}

/** Fetches the data on screen and all stored vehicle lists (snapshots) again, because this tab may have missed live events. */
export function refetchMissedChanges(queries: QueryClient): void {
  void queries.invalidateQueries()
  for (const { campaign } of offlineCampaigns.get()) void refreshSnapshot(queries, campaign).catch(() => undefined)
}
