import type { Campaign, CampaignPage, CampaignSearchParams, ListedVehicle, Vehicle, Yard, YardVehicleCount } from '@/api/types'
import { findNextVehicle } from '@/lib/nextVehicles'
import { PAGE_SIZE } from '@/lib/pagination'
import { applyPendingSavesToList } from '../outbox/pendingSave'
import { selectOutboxOfCurrentUser, outboxState } from '../outbox/store'
import type { SnapshotMetadata } from '../schema'
import { readSnapshots, readSnapshotRows, readSnapshot } from './store'

/** A vehicle from a stored list. `isPartial` is true if only the list row is stored, so that the notes and the last change are missing. */
export type PossiblyPartialVehicle = Vehicle & { isPartial?: true }

const inYard = (rows: readonly ListedVehicle[], yard: number | null) => (yard === null ? rows : rows.filter(({ id_yard }) => id_yard === yard))
const inspectedIn = (rows: readonly ListedVehicle[]) => rows.filter(({ inspected }) => inspected).length
const asSaved = (rows: ListedVehicle[]) => applyPendingSavesToList(rows, selectOutboxOfCurrentUser(outboxState.get()).pending)

/**
 * Returns a stored campaign with the vehicle counts of one yard or, if `yard` is null, of the whole campaign. Counts the stored rows. If
 * `yard` is null and only some yards are stored, returns the counts that the server last sent.
 */
async function campaignFrom({ campaign: id, head, yards }: SnapshotMetadata, yard: number | null): Promise<Campaign> {
  const rows = (await readSnapshotRows(id)) ?? []
  const next = findNextVehicle(asSaved(rows), yard, null).next?.id ?? null
  if (yard === null && yards !== null) return { ...head, next }
  const [here, name] = [inYard(rows, yard), yard === null ? head.yard_name : (rows.find(({ id_yard }) => id_yard === yard)?.yard_group ?? null)]
  const done = inspectedIn(here)
  return { ...head, next, yard_name: name, total_vehicles: here.length, total_inspected: done, progress_unknown: false, allClosed: here.length > 0 && done === here.length }
}

export async function findCampaign(id: number, yard: number | null): Promise<Campaign | null> {
  const snapshot = await readSnapshot(id)
  return snapshot === undefined ? null : await campaignFrom(snapshot, yard)
}

/** Returns a page of the stored campaigns, filtered and sorted as the server does. */
export async function findCampaignPage({ page, search = '', status, yard }: CampaignSearchParams): Promise<CampaignPage | null> {
  const all = await Promise.all((await readSnapshots()).map((snapshot) => campaignFrom(snapshot, yard ?? null)))
  const open = (one: Campaign) => (status === undefined || status === 'all' ? true : status === 'ongoing' ? one.status !== 'Closed' : status === 'closed' ? one.status === 'Closed' : one.status === status)
  const found = all.filter((one) => open(one) && one.name.toLowerCase().includes(search.trim().toLowerCase()) && (yard === undefined || one.total_vehicles > 0))
  const ordered = found.toSorted((a, b) => b.id - a.id)
  return {
    campaigns: ordered.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
    meta: { page_index: page, total_count: found.length, per_page: PAGE_SIZE, yard_name: found[0]?.yard_name ?? null },
  }
}

export const listCampaigns = async (): Promise<Campaign[] | null> => await Promise.all((await readSnapshots()).map((snapshot) => campaignFrom(snapshot, null)))

function countsIn(rows: readonly ListedVehicle[]): YardVehicleCount[] {
  const yards = new Map<number, YardVehicleCount>()
  for (const { id_yard, yard_group, inspected } of rows) {
    const id = id_yard ?? 0
    const count = yards.get(id) ?? { yard_id: id, yard_name: yard_group, total_vehicles: 0, inspected_vehicles: 0 }
    count.total_vehicles++
    if (inspected) count.inspected_vehicles++
    yards.set(id, count)
  }
  return [...yards.values()]
}

export async function countVehiclesByYard(name: string): Promise<YardVehicleCount[] | null> {
  const snapshot = (await readSnapshots()).find(({ head }) => head.name === name)
  return snapshot === undefined ? null : countsIn((await readSnapshotRows(snapshot.campaign)) ?? [])
}

export async function listYards(): Promise<Yard[] | null> {
  const every = await Promise.all((await readSnapshots()).map(({ campaign: id }) => readSnapshotRows(id)))
  return countsIn(every.flatMap((rows) => rows ?? [])).map(({ yard_id, yard_name, total_vehicles, inspected_vehicles }) =>
    ({ id: yard_id, name: yard_name, vehicles_count: total_vehicles, vehicles_inspected_count: inspected_vehicles }))
}

/**
 * Finds a vehicle in the lists stored on this device; null when no list contains the vehicle. The field `next` is the id of the next
 * vehicle to inspect, limited to the yard unless `yard` is null.
 */
export async function findVehicle(id: number, yard: number | null): Promise<PossiblyPartialVehicle | null> {
  for (const { campaign: campaignId, head } of await readSnapshots()) {
    const rows = (await readSnapshotRows(campaignId)) ?? []
    const row = rows.find((one) => one.id === id)
    if (row !== undefined) return { ...fromRow(row, head), next: findNextVehicle(asSaved(rows), yard, id).next?.id ?? null }
  }
  return null
}

function fromRow(row: ListedVehicle, { id, name }: Campaign): PossiblyPartialVehicle {
  const [model_code = '', serial_number = ''] = row.vin_number.split(' ')
  return {
    ...row, model_code, serial_number, campaign_id: id, campaign_name: name, operator_notes: '', admin_notes: '',
    modified_by: null, modified_by_hmc: null, modified_at: null, next: null, open_conflicts: 0, isPartial: true,
  }
}
