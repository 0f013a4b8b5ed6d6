import { getCurrentDataOwnerKey } from '@/api/session'
import type { ListedVehicle } from '@/api/types'
import { createStore } from '@/lib/store'
import { recordOfflineCampaigns } from '../offlineCampaigns'
import { openDatabase } from '../database'
import type { SnapshotMetadata } from '../schema'
import { openBroadcastChannel } from '../broadcastChannel'
import { applySnapshotDelta } from './delta'
import { decodeVehicleRows, encodeVehicleRows } from './encoding'

/** The snapshots (vehicle lists stored for offline use) of the signed-in person. */
export const snapshots = createStore<SnapshotMetadata[]>([])
/**
 * Decoded rows of the stored vehicle lists, by campaign id. If `revision` differs from the revision in the database, another tab has stored
 * changes that this tab may have missed. The rows are then read again.
 */
const loaded = new Map<number, { rows: ListedVehicle[]; revision: number | null }>()
const channel = openBroadcastChannel('patio-taken', () => {
  loaded.clear()
  void readSnapshots()
})

/**
 * Time in milliseconds for which a snapshot (stored vehicle list) is kept after the last confirmation by the server. Equals the lifetime of
 * a session.
 */
const RETENTION_MS = 12 * 3_600_000

/** Reads the signed-in person's snapshots (stored vehicle lists) from the database. Deletes expired snapshots. */
export async function readSnapshots(): Promise<SnapshotMetadata[]> {
  const all = (await (await openDatabase())?.getAll('taken')) ?? []
  const expired = all.filter(({ fresh_at }) => Date.now() - fresh_at > RETENTION_MS)
  for (const { campaign } of expired) await erase(campaign)
  const own = all.filter((snapshot) => snapshot.owner === getCurrentDataOwnerKey() && !expired.includes(snapshot))
  snapshots.set(own)
  recordOfflineCampaigns(own.map(({ campaign, yards }) => ({ campaign, yards })))
  return own
}

/** Returns the signed-in person's snapshot (stored vehicle list) of a campaign, or undefined if there is none. */
export async function readSnapshot(campaign: number): Promise<SnapshotMetadata | undefined> {
  const snapshot = await (await openDatabase())?.get('taken', campaign)
  return snapshot?.owner === getCurrentDataOwnerKey() ? snapshot : undefined
}

/** Returns the range of database keys of all stored rows of a campaign. */
const rangeOf = (campaign: number) => IDBKeyRange.bound([campaign], [campaign, []])

/** Returns a campaign's stored rows, ordered by yard, then parking space. Returns null when the snapshot is missing or damaged. */
export async function readSnapshotRows(campaign: number): Promise<ListedVehicle[] | null> {
  const snapshot = await readSnapshot(campaign)
  if (snapshot === undefined) return null
  const known = loaded.get(campaign)
  if (known !== undefined && known.revision === snapshot.revision) return known.rows
  const database = await openDatabase()
  if (database === null) return null
  const [parts, newer] = await Promise.all([database.getAll('rows', rangeOf(campaign)), database.getAll('newer', rangeOf(campaign))])
  const decoded = decodeVehicleRows(parts)
  if (decoded === null) return null
  const rows = applySnapshotDelta(decoded, newer)
  loaded.set(campaign, { rows, revision: snapshot.revision })
  return rows
}

/**
 * Stores a new full vehicle list of a campaign, in place of any previous list. Returns false without storing the list if the person has
 * signed out or, with `onlyReplace`, if there is no previous list. If the device has too little free storage, keeps the previous list and
 * rejects.
 */
export async function writeSnapshot(snapshot: Omit<SnapshotMetadata, 'vehicles' | 'bytes'>, rows: ListedVehicle[], onlyReplace: boolean): Promise<boolean> {
  const database = await openDatabase()
  if (database === null) throw new DOMException('the database is not available', 'InvalidStateError')
  const parts = encodeVehicleRows(rows)
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  if (getCurrentDataOwnerKey() !== snapshot.owner) return false // the person has signed out meanwhile, and nothing of theirs may stay on this device
  const writing = database.transaction(['taken', 'rows', 'newer'], 'readwrite')
  const { campaign } = snapshot
  if (onlyReplace && (await writing.objectStore('taken').get(campaign)) === undefined) return false
  const writes = [
    writing.objectStore('rows').delete(rangeOf(campaign)),
    writing.objectStore('newer').delete(rangeOf(campaign)),
    ...parts.map((part, index) => writing.objectStore('rows').put(part, [campaign, index])),
    writing.objectStore('taken').put({ ...snapshot, vehicles: rows.length, bytes }),
  ]
  await Promise.all([...writes, writing.done])
  loaded.set(campaign, { rows, revision: snapshot.revision })
  await publish()
  return true
}

/**
 * Stores changed rows of a snapshot (vehicle list), and the metadata fields in `part`. Returns the updated list, or null if the signed-in
 * person has no readable snapshot of the campaign.
 */
export async function writeSnapshotDelta(campaign: number, newer: readonly ListedVehicle[], part: Partial<SnapshotMetadata>): Promise<ListedVehicle[] | null> {
  const [database, rows] = [await openDatabase(), await readSnapshotRows(campaign)]
  const owner = getCurrentDataOwnerKey()
  if (database === null || rows === null || owner === null) return null
  const writing = database.transaction(['taken', 'newer'], 'readwrite')
  const snapshot = await writing.objectStore('taken').get(campaign)
  if (snapshot?.owner !== owner) return null // the person has signed out, or another person's list has replaced this one
  const updated = { ...snapshot, ...part }
  await writing.objectStore('taken').put(updated)
  for (const row of newer) {
    const stored = await writing.objectStore('newer').get([campaign, row.id])
    // Another tab may already have stored a newer version of the row.
    if (stored === undefined || stored.version < row.version) await writing.objectStore('newer').put(row, [campaign, row.id])
  }
  await writing.done
  const base = loaded.get(campaign)
  if (base !== undefined) {
    // The loaded rows keep their old revision, and are therefore read again, if another tab has stored another revision meanwhile.
    const revision = base.revision === snapshot.revision ? updated.revision : base.revision
    loaded.set(campaign, { rows: applySnapshotDelta(base.rows, newer), revision })
  }
  await readSnapshots()
  return await readSnapshotRows(campaign)
}

export async function deleteSnapshot(campaign: number): Promise<void> {
  await erase(campaign)
  await publish()
}

/** Deletes the stored vehicle lists (snapshots) of every person on this device. */
export async function deleteAllSnapshots(): Promise<void> {
  const database = await openDatabase()
  for (const campaign of (await database?.getAllKeys('taken')) ?? []) await erase(campaign)
  await publish()
}

async function erase(campaign: number): Promise<void> {
  const database = await openDatabase()
  if (database === null) return
  const writing = database.transaction(['taken', 'rows', 'newer'], 'readwrite')
  await Promise.all([writing.objectStore('taken').delete(campaign), writing.objectStore('rows').delete(rangeOf(campaign)), writing.objectStore('newer').delete(rangeOf(campaign)), writing.done])
  loaded.delete(campaign)
}

/** Reads the snapshots (stored vehicle lists) again in this tab, and makes the other tabs of this browser do the same. */
async function publish(): Promise<void> {
  channel?.postMessage('changed')
  await readSnapshots()
}
