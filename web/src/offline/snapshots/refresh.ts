import type { QueryClient } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/queryKeys'
import { ApiProblem } from '@/api/apiProblem'
import { fetchCampaign, fetchVehicleList } from '@/api/requests'
import { getCurrentDataOwnerKey, getCurrentSession } from '@/api/session'
import type { Campaign, ListedVehicle } from '@/api/types'
import { mayManageCampaigns } from '@/lib/roles'
import { offlineCampaigns } from '../offlineCampaigns'
import type { SnapshotMetadata } from '../schema'
import { hasUnknownVehicles } from './delta'
import { deleteSnapshot, readSnapshots, readSnapshotRows, readSnapshot, writeSnapshotDelta, writeSnapshot } from './store'

/** Downloads the vehicle list of a campaign for offline use. With a yard, adds that yard to the yards that are already stored. */
export async function downloadSnapshot(head: Campaign, yard: number | null): Promise<void> {
  const known = await readSnapshot(head.id)
  const yards = yard === null || known?.yards === null ? null : [...new Set([...(known?.yards ?? []), yard])]
  await downloadList(keepTotals(head, known?.head), yards, known?.taken_at ?? Date.now(), { isRefresh: false })
}

/**
 * Returns the campaign `head` that the server sent. If the server could not count the vehicles (`progress_unknown`), the totals are those
 * of `known`, the version of the campaign that this device has stored.
 */
function keepTotals(head: Campaign, known: Campaign | undefined): Campaign {
  if (!head.progress_unknown || known === undefined) return head
  const { total_vehicles, total_inspected, allClosed, progress_unknown } = known
  return { ...head, total_vehicles, total_inspected, allClosed, progress_unknown }
}

const seesDash = (): boolean => mayManageCampaigns(getCurrentSession()?.user.user_type ?? '')

interface DownloadOptions {
  /** Whether the download refreshes a stored list. If that list was deleted meanwhile, the download is discarded and null is returned. */
  isRefresh: boolean
  /** The `ETag` of the stored list. The list is then downloaded only if it has changed. */
  tag?: string | null
}

/** Downloads and stores a vehicle list, and returns its rows. */
async function downloadList(head: Campaign, yards: number[] | null, taken_at: number, { isRefresh, tag = null }: DownloadOptions): Promise<ListedVehicle[] | null> {
  const owner = getCurrentDataOwnerKey() ?? ''
  const list = await fetchVehicleList(head.id, tag)
  if (list === null) return await writeSnapshotDelta(head.id, [], { head, fresh_at: Date.now() })
  const rows = yards === null ? list.rows : list.rows.filter(({ id_yard }) => yards.includes(id_yard ?? 0))
  const revision = list.revision === null ? null : Number(list.revision)
  const snapshot = { campaign: head.id, owner, yards, head, revision, dash: seesDash(), tag: list.etag, taken_at, fresh_at: Date.now() }
  return (await writeSnapshot(snapshot, rows, isRefresh)) ? rows : null
}

/**
 * Updates the stored vehicle list (snapshot) of a campaign and returns its rows, or null when no list is stored. Requests the changes since
 * the last update. Downloads the full list only when the changes are too many or cannot be applied, or the stored rows are damaged.
 */
export async function refreshSnapshot(queries: QueryClient, campaign: number): Promise<ListedVehicle[] | null> {
  const snapshot = await readSnapshot(campaign)
  if (snapshot === undefined) return null
  try {
    const rows = await update(snapshot)
    if (rows !== null && snapshot.yards === null) queries.setQueryData(queryKeys.vehicleList(campaign), rows)
    return rows
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) await deleteSnapshot(campaign)
    throw error
  }
}

async function update(snapshot: SnapshotMetadata): Promise<ListedVehicle[] | null> {
  const { campaign, yards, taken_at, tag, revision } = snapshot
  const isDamaged = (await readSnapshotRows(campaign)) === null
  const head = keepTotals(await fetchCampaign(campaign, null), snapshot.head)
  const lacksDash = snapshot.dash !== true && seesDash()
  if (lacksDash || isDamaged) return await downloadList(head, yards, taken_at, { isRefresh: true })
  if (revision === null) return await downloadList(head, yards, taken_at, { isRefresh: true, tag })
  return await downloadChanges(snapshot, head, revision)
}

async function downloadChanges({ campaign, yards, taken_at }: SnapshotMetadata, head: Campaign, since: number): Promise<ListedVehicle[] | null> {
  const { revision, vehicles, removed, whole } = await unwrapResponse(apiClient.GET('/vehicles/campaign/{id}/changes', { params: { path: { id: campaign }, query: { since } } }), 'revision# vehicles* removed*')
  const ofYards = yards === null ? vehicles : vehicles.filter(({ id_yard }) => yards.includes(id_yard ?? 0))
  const rows = await readSnapshotRows(campaign)
  if (rows === null) return null // the snapshot was deleted meanwhile
  if (whole || removed.length > 0 || hasUnknownVehicles(rows, ofYards)) return await downloadList(head, yards, taken_at, { isRefresh: true })
  // A stored vehicle that has moved to another yard stays in the list, with its new yard. Other vehicles are not added.
  const known = new Set(rows.map(({ id }) => id))
  return await writeSnapshotDelta(campaign, vehicles.filter(({ id }) => known.has(id)), { revision, head, fresh_at: Date.now() })
}

const REFRESH_INTERVAL_MS = 5 * 60_000
let isRefreshing = false

/**
 * Refreshes the snapshots (vehicle lists stored for offline use) now. From the first call on, also refreshes them every five minutes while
 * the page is visible, and when the network is back.
 */
export function startSnapshotRefresh(queries: QueryClient): void {
  const now = () => {
    if (document.visibilityState === 'visible' && getCurrentSession() !== null) void refreshAllSnapshots(queries)
  }
  void restoreIndex(queries).then(now)
  if (isRefreshing) return
  isRefreshing = true
  setInterval(now, REFRESH_INTERVAL_MS)
  window.addEventListener('online', now)
}

/**
 * Reads from the database which campaigns are available offline, because the copy in local storage may be missing or outdated. If the copy
 * lacks a campaign, fetches the data on screen again, because the data can now come from this device.
 */
async function restoreIndex(queries: QueryClient): Promise<void> {
  const known = new Set(offlineCampaigns.get().map(({ campaign }) => campaign))
  if ((await readSnapshots()).some(({ campaign }) => !known.has(campaign))) await queries.invalidateQueries()
}

/** Refreshes every stored vehicle list (snapshot), one after the other. A snapshot whose refresh fails stays as it is. */
export async function refreshAllSnapshots(queries: QueryClient): Promise<void> {
  for (const { campaign } of await readSnapshots()) await refreshSnapshot(queries, campaign).catch(() => undefined)
}
