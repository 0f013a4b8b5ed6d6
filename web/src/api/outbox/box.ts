import { disk } from '../disk'
import { currentOwner } from '../session'
import { channelOf } from '../tabs'
import { noteHeld } from '../held'
import { FIELDS } from '@/lib/fields'
import { createStore } from '@/lib/store'
import { pendingOf, type Entry } from './entry'

const KEPT_DONE_MS = 3 * 86_400_000
const MOST_DONE = 200

export interface Box {
  /** Whose saves these are: what was read for one person is never shown to the next. */
  owner: string | null
  /** The saves of who is signed in, in the order of sending. */
  entries: Entry[]
  pending: ReadonlyMap<number, Entry[]>
  /** How many saves of other people wait on this device. */
  others: number
  /** Whether this browser can keep anything; null until it was asked. */
  works: boolean | null
}
const EMPTY: Box = { owner: null, entries: [], pending: new Map(), others: 0, works: null }

export const box = createStore<Box>(EMPTY)

const channel = channelOf('patio-outbox', () => void read())

/** What is held for who is signed in now. */
export const mine = (kept: Box): Box => (kept.owner === currentOwner() ? kept : EMPTY)

/** Looks at the disk again: another tab or another person may have changed it. */
export async function read(): Promise<void> {
  const kept = await disk()
  const owner = currentOwner()
  if (kept === null) return box.set({ ...EMPTY, owner, works: false })
  const all = await kept.getAll('outbox')
  const entries = all.filter((entry) => entry.owner === owner)
  const others = all.filter((entry) => entry.owner !== owner && entry.state !== 'done').length
  if (currentOwner() !== owner) return read()
  box.set({ owner, entries, pending: pendingOf(entries), others, works: true })
  const many = (...states: Entry['state'][]) => entries.filter(({ state }) => states.includes(state)).length
  noteHeld({ owner, open: many('waiting', 'refused'), refused: many('refused'), others })
}

async function changed(): Promise<void> {
  channel?.postMessage('changed')
  await read()
}

/** Writes a save to the disk; when this has ended it is there. Throws when the disk has no room. */
export async function add(entry: Entry): Promise<Entry | null> {
  const kept = await disk()
  if (kept === null) return null
  const writing = kept.transaction('outbox', 'readwrite', { durability: 'strict' })
  const written = entry.replaces === null ? entry : instead(entry, await writing.store.get(entry.replaces))
  if (written.replaces !== null) await writing.store.delete(written.replaces)
  const seq = await writing.store.add(written)
  await writing.done
  await changed()
  return { ...written, seq }
}

/** A save in another one's place; when that one was sent meanwhile, this one starts from what it left. */
function instead(entry: Entry, old: Entry | undefined): Entry {
  if (old?.state !== 'done') return entry
  const base = { ...entry.change.base }
  for (const field of FIELDS) if (field in base && field in old.change.wanted) base[field] = old.change.wanted[field]
  return { ...entry, change: { ...entry.change, base }, replaces: null }
}

export async function put(entry: Entry): Promise<void> {
  await (await disk())?.put('outbox', entry)
  await changed()
}

export async function remove(seq: number): Promise<void> {
  await (await disk())?.delete('outbox', seq)
  await changed()
}

/** The save of this person that is sent next, as the disk has it now. */
export async function firstWaiting(owner: string): Promise<Entry | undefined> {
  const theirs = (await (await disk())?.getAllFromIndex('outbox', 'owner', owner)) ?? []
  return theirs.find(({ state }) => state === 'waiting')
}

/** Forgets saves that arrived days ago, and the oldest of very many. */
export async function prune(now: number): Promise<void> {
  const kept = await disk()
  const done = (await kept?.getAll('outbox'))?.filter(({ state }) => state === 'done') ?? []
  const old = done.filter(({ done_at, conflicts }, index) => conflicts.every(({ state }) => state === 'settled') && (now - (done_at ?? 0) > KEPT_DONE_MS || index < done.length - MOST_DONE))
  for (const { seq } of old) if (seq !== undefined) await kept?.delete('outbox', seq)
}
