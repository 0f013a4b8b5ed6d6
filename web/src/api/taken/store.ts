import { noteAlong } from '../along'
import { disk } from '../disk'
import type { Campaign, ListedVehicle } from '../types'
import { currentOwner } from '../session'
import { channelOf } from '../tabs'
import { createStore } from '@/lib/store'
import { packed, patched, unpacked } from './rows'

/** What is known of a list that was taken along. */
export interface Taken {
  campaign: number
  /** Who took it along; nobody else sees it. */
  owner: string
  /** Null when all yards are along. */
  yards: number[] | null
  head: Campaign
  revision: number | null
  /** Whether the vehicles in the yard of the dash are in it, which an operator does not get. */
  dash?: boolean
  tag: string | null
  vehicles: number
  bytes: number
  /** When it was taken, and when the server last said that it is as it is. */
  taken_at: number
  fresh_at: number
}

export const lists = createStore<Taken[]>([])
const loaded = new Map<number, ListedVehicle[]>()
const channel = channelOf('patio-taken', () => {
  loaded.clear()
  void readLists()
})

/** How long a list is kept after the server last said that it is as it is: as long as a session lasts. */
const KEPT_MS = 12 * 3_600_000

/** The lists of who is signed in; those whose time is over are removed. */
export async function readLists(): Promise<Taken[]> {
  const all = (await (await disk())?.getAll('taken')) ?? []
  const over = all.filter(({ fresh_at }) => Date.now() - fresh_at > KEPT_MS)
  for (const { campaign } of over) await erase(campaign)
  const own = all.filter((taken) => taken.owner === currentOwner() && !over.includes(taken))
  lists.set(own)
  noteAlong(own.map(({ campaign, yards }) => ({ campaign, yards })))
  return own
}

export async function takenOf(campaign: number): Promise<Taken | undefined> {
  const taken = await (await disk())?.get('taken', campaign)
  return taken?.owner === currentOwner() ? taken : undefined
}

/** All rows between these keys belong to one campaign. */
const of = (campaign: number) => IDBKeyRange.bound([campaign], [campaign, []])

/** The rows of a list, read once. */
export async function rowsOf(campaign: number): Promise<ListedVehicle[] | null> {
  if ((await takenOf(campaign)) === undefined) return null
  const known = loaded.get(campaign)
  if (known !== undefined) return known
  const kept = await disk()
  if (kept === null) return null
  const [parts, newer] = await Promise.all([kept.getAll('rows', of(campaign)), kept.getAll('newer', of(campaign))])
  const rows = patched(unpacked(parts), newer)
  loaded.set(campaign, rows)
  return rows
}

/** Puts a whole list onto the disk, in the place of the one before, or leaves that as it was when there is no room. */
export async function writeList(taken: Omit<Taken, 'vehicles' | 'bytes'>, rows: ListedVehicle[]): Promise<void> {
  const kept = await disk()
  if (kept === null) throw new DOMException('no disk', 'InvalidStateError')
  const parts = packed(rows)
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  const writing = kept.transaction(['taken', 'rows', 'newer'], 'readwrite')
  const { campaign } = taken
  const writes = [
    writing.objectStore('rows').delete(of(campaign)),
    writing.objectStore('newer').delete(of(campaign)),
    ...parts.map((part, index) => writing.objectStore('rows').put(part, [campaign, index])),
    writing.objectStore('taken').put({ ...taken, vehicles: rows.length, bytes }),
  ]
  await Promise.all([...writes, writing.done])
  loaded.set(campaign, rows)
  await told()
}

/** Notes rows that changed, and that the list is now as the server has it at this revision. */
export async function writeNewer(campaign: number, newer: readonly ListedVehicle[], part: Partial<Taken>): Promise<ListedVehicle[] | null> {
  const [kept, rows] = [await disk(), await rowsOf(campaign)]
  if (kept === null || rows === null) return null
  const writing = kept.transaction(['taken', 'newer'], 'readwrite')
  const taken = await writing.objectStore('taken').get(campaign)
  if (taken !== undefined) await writing.objectStore('taken').put({ ...taken, ...part })
  for (const row of newer) await writing.objectStore('newer').put(row, [campaign, row.id])
  await writing.done
  const now = patched(rows, newer)
  loaded.set(campaign, now)
  await readLists()
  return now
}

export async function removeList(campaign: number): Promise<void> {
  await erase(campaign)
  await told()
}

/** Removes every list of this browser. */
export async function forgetLists(): Promise<void> {
  const kept = await disk()
  for (const campaign of (await kept?.getAllKeys('taken')) ?? []) await erase(campaign)
  await told()
}

async function erase(campaign: number): Promise<void> {
  const kept = await disk()
  if (kept === null) return
  const writing = kept.transaction(['taken', 'rows', 'newer'], 'readwrite')
  await Promise.all([writing.objectStore('taken').delete(campaign), writing.objectStore('rows').delete(of(campaign)), writing.objectStore('newer').delete(of(campaign)), writing.done])
  loaded.delete(campaign)
}

async function told(): Promise<void> {
  channel?.postMessage('changed')
  await readLists()
}
