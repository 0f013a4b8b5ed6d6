import { disk } from '../disk'
import { currentSession, ownerOf } from '../session'
import { noteHeld } from '../held'
import { FIELDS } from '@/lib/fields'
import { createStore } from '@/lib/store'
import { pendingOf, type Entry } from './entry'

const KEPT_DONE_MS = 3 * 86_400_000
const MOST_DONE = 200

interface Box {
  /** The saves of who is signed in, in the order of sending. */
  entries: Entry[]
  pending: ReadonlyMap<number, Entry[]>
  /** How many saves of other people wait on this device. */
  others: number
  /** Whether this browser can keep anything; null until it was asked. */
  works: boolean | null
}
const EMPTY: Box = { entries: [], pending: new Map(), others: 0, works: null }

export const box = createStore<Box>(EMPTY)

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('patio-outbox') : null
channel?.addEventListener('message', () => void read())
// a channel of Node keeps its process alive, that of a browser has no such method
if (channel !== null && 'unref' in channel && typeof channel.unref === 'function') channel.unref()

const whoIsIn = (): string | null => {
  const session = currentSession()
  return session === null ? null : ownerOf(session.user)
}

/** Looks at the disk again: another tab or another person may have changed it. */
export async function read(): Promise<void> {
  const kept = await disk()
  const owner = whoIsIn()
  if (kept === null) return box.set({ ...EMPTY, works: false })
  const all = await kept.getAll('outbox')
  const entries = all.filter((entry) => entry.owner === owner)
  const others = all.filter((entry) => entry.owner !== owner && entry.state !== 'done').length
  if (whoIsIn() !== owner) return read()
  box.set({ entries, pending: pendingOf(entries), others, works: true })
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
  const mine = (await (await disk())?.getAllFromIndex('outbox', 'owner', owner)) ?? []
  return mine.find(({ state }) => state === 'waiting')
}

/** Forgets saves that arrived days ago, and the oldest of very many. */
export async function prune(now: number): Promise<void> {
  const kept = await disk()
  const done = (await kept?.getAll('outbox'))?.filter(({ state }) => state === 'done') ?? []
  const old = done.filter(({ done_at, conflicts }, index) => conflicts.every(({ state }) => state === 'settled') && (now - (done_at ?? 0) > KEPT_DONE_MS || index < done.length - MOST_DONE))
  for (const { seq } of old) if (seq !== undefined) await kept?.delete('outbox', seq)
}
