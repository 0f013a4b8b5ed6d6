import { getCurrentDataOwnerKey, getCurrentSession, getDataOwnerKey, type Session } from '@/api/session'
import { VEHICLE_FIELDS } from '@/lib/vehicleFields'
import { createStore } from '@/lib/store'
import { openDatabase, type Database } from '../database'
import { recordPendingSaveCount } from '../pendingSaveCount'
import type { SaveState, EncryptedSave } from '../schema'
import { openBroadcastChannel } from '../broadcastChannel'
import { groupPendingSavesByVehicle, UNDO_PERIOD_MS, type PendingSave, type OutboxEntry } from './pendingSave'
import { getSessionCipher, encryptSave, decryptSave } from './encryption'

const DONE_RETENTION_MS = 3 * 86_400_000
const MAX_DONE = 200
/** Time in milliseconds that the sending of a held save may take after its undo period. Until then, the save is still counted as held. */
const SEND_MS = 1500

export interface OutboxState {
  /** Key under which this device stores the data of the person to whom the saves belong; null without a session. */
  owner: string | null
  /** The saves of the signed-in person, in the order of sending. */
  entries: OutboxEntry[]
  /**
   * Outbox positions (`seq`) of this person's records that cannot be decrypted, because the records are damaged or were tampered with. Such
   * records are never sent.
   */
  undecryptable: number[]
  /** Saves that wait to be sent, by vehicle id. Rejected saves are not included. */
  pending: ReadonlyMap<number, OutboxEntry[]>
  /** Number of saves of other people on this device that the server has not stored. */
  others: number
  /** Whether this browser can store saves; null until the database has been read. */
  canStore: boolean | null
}
const EMPTY: OutboxState = { owner: null, entries: [], undecryptable: [], pending: new Map(), others: 0, canStore: null }

/** The outbox of the signed-in person, as it was last read from the database. */
export const outboxState = createStore<OutboxState>(EMPTY)

const channel = openBroadcastChannel('patio-outbox', () => void loadOutbox())

/** Returns the outbox state if it belongs to the signed-in person, else an empty state. */
export const selectOutboxOfCurrentUser = (state: OutboxState): OutboxState => (state.owner === getCurrentDataOwnerKey() ? state : EMPTY)

let reading: Promise<void> = Promise.resolve()

/**
 * Reads the outbox, which another tab may have changed, from the database into `outboxState`. Reads run one after the other, so that an
 * earlier read never overwrites the result of a later read.
 */
export function loadOutbox(): Promise<void> {
  reading = reading.then(readNow, readNow)
  return reading
}

async function readNow(): Promise<void> {
  const database = await openDatabase()
  const session = getCurrentSession()
  const owner = getCurrentDataOwnerKey()
  // Without the code of the cipher, saves cannot be stored either. The next read tries to load the code again.
  const isReady = database !== null && (session === null || (await getSessionCipher(session).then(() => true, () => false)))
  if (!isReady) return outboxState.set({ ...EMPTY, owner, canStore: false })
  const all = await database.getAll('outbox')
  const own = session === null ? [] : await Promise.all(all.filter((record) => record.owner === owner).map(async (record) => ({ record, entry: await decryptSave(record, session) })))
  if (getCurrentDataOwnerKey() !== owner) return readNow()
  const entries = own.flatMap(({ entry }) => entry ?? [])
  const undecryptable = own.flatMap(({ record, entry }) => (entry === null ? record.seq : []))
  const others = all.filter((record) => record.owner !== owner && record.state !== 'done').length
  outboxState.set({ owner, entries, undecryptable, pending: groupPendingSavesByVehicle(entries), others, canStore: true })
  countPendingSaves()
}

let recount: ReturnType<typeof setTimeout> | undefined

/**
 * Counts the pending saves in `outboxState` and stores the counts in `pendingSaveCount`. Counts again `SEND_MS` after the end of the next
 * undo period, from when a save no longer counts as held.
 */
function countPendingSaves(): void {
  const { owner, entries, undecryptable, others, canStore } = outboxState.get()
  if (canStore !== true) return
  const countOf = (...states: SaveState[]) => entries.filter(({ state }) => states.includes(state)).length
  const now = Date.now()
  const msLeft = entries.flatMap(({ state, held, at }) => {
    const left = at + UNDO_PERIOD_MS + SEND_MS - now
    return state === 'waiting' && held && now >= at && left > 0 ? left : []
  })
  recordPendingSaveCount({ owner, open: countOf('waiting', 'refused') + undecryptable.length, held: msLeft.length, refused: countOf('refused') + undecryptable.length, others })
  clearTimeout(recount)
  if (msLeft.length > 0) recount = setTimeout(countPendingSaves, Math.min(...msLeft))
}

/** Reads the outbox again in this tab, and makes the other tabs of this browser do the same. */
async function publish(): Promise<void> {
  channel?.postMessage('changed')
  await loadOutbox()
}

/**
 * Stores a save of the person who signed in for this session, and returns the save with its position in the outbox. Returns null if this
 * browser has no database; rejects when the device has too little free storage.
 */
export async function insertPendingSave(entry: PendingSave, session: Session): Promise<OutboxEntry | null> {
  const database = await openDatabase()
  if (database === null) return null
  const seq = await reserveSeq(database)
  for (;;) {
    // An IndexedDB transaction commits itself while a cipher is awaited, so records are decrypted and encrypted before the transaction
    // begins.
    const old = entry.replaces === null ? undefined : await database.get('outbox', entry.replaces)
    const written = { ...replacing(entry, old && (await decryptSave(old, session))), seq }
    const sealed = await encryptSave(written, session)
    const writing = database.transaction('outbox', 'readwrite', { durability: 'strict' })
    const now = entry.replaces === null ? undefined : await writing.store.get(entry.replaces)
    if (now?.state !== old?.state) continue // the replaced save was sent meanwhile
    if (entry.replaces !== null && old?.state !== 'done') await writing.store.delete(entry.replaces)
    await writing.store.add(sealed)
    await writing.done
    await publish()
    return written
  }
}

const PLACEHOLDER = { id: '', owner: '', state: 'done', at: 0, sealed: new Uint8Array() } as const

/** Reserves the next position in the order of sending. The position must be known before the save is encrypted, and is never reused. */
async function reserveSeq(database: Database): Promise<number> {
  const writing = database.transaction('outbox', 'readwrite')
  const seq = await writing.store.add(PLACEHOLDER as EncryptedSave)
  await writing.store.delete(seq)
  await writing.done
  return seq
}

/**
 * Returns a new save, adapted to the older save `old` that the new save replaces.
 *
 * - If `old` still waits to be sent, the new save takes the base values of `old` for the fields that both saves change. The new save also
 *   takes `replaces` from `old`, because the save that `old` replaced may be on its way to the server.
 * - If the server has stored `old`, the new save is sent in addition, with the values of `old` as its base. A field that only `old` changed
 *   is set back to its earlier value, because the new save no longer contains that change.
 * - Otherwise, the new save is returned unchanged.
 */
function replacing(entry: PendingSave, old: PendingSave | null | undefined): PendingSave {
  const [base, wanted] = [{ ...entry.change.base }, { ...entry.change.wanted }]
  if (old?.state === 'waiting') {
    for (const field of VEHICLE_FIELDS) if (field in base && field in old.change.base) base[field] = old.change.base[field]
    return { ...entry, change: { base, wanted }, replaces: old.replaces ?? entry.replaces }
  }
  if (old?.state !== 'done') return entry
  for (const field of VEHICLE_FIELDS) {
    if (!(field in old.change.wanted)) continue
    if (!(field in wanted)) wanted[field] = old.change.base[field]
    base[field] = old.change.wanted[field]
  }
  return { ...entry, vin: old.change.wanted.vin_number ?? entry.vin, change: { base, wanted }, replaces: null }
}

/** Overwrites a stored save of the signed-in person. Returns `false` without a change if the save was replaced or deleted meanwhile. */
export async function updateOutboxEntry(entry: OutboxEntry, session: Session): Promise<boolean> {
  const sealed = await encryptSave(entry, session)
  const database = await openDatabase()
  if (database === null) return false
  const writing = database.transaction('outbox', 'readwrite')
  const isStored = (await writing.store.getKey(entry.seq)) !== undefined
  if (isStored) await writing.store.put(sealed)
  await writing.done
  if (isStored) await publish()
  return isStored
}

/**
 * Updates the save that replaced `sent` while `sent` was on its way to the server. Called after the server has stored `sent`, whose values
 * become the base of the replacing save.
 */
export async function rebaseReplacementSave(sent: OutboxEntry, session: Session): Promise<void> {
  for await (const entry of decryptOwnSaves(session, 'waiting', 'refused')) {
    if (entry.replaces === sent.seq) await updateOutboxEntry({ ...replacing(entry, { ...sent, state: 'done' }), seq: entry.seq }, session)
  }
}

export async function deleteOutboxEntry(seq: number): Promise<void> {
  await (await openDatabase())?.delete('outbox', seq)
  await publish()
}

/**
 * Deletes a save that has not been sent, and returns whether the save was deleted. Calls `isUndoable` inside the deleting transaction, so
 * that no tab can read the save for sending between the check and the deletion.
 */
export async function deleteHeldSave({ seq, id }: OutboxEntry, isUndoable: () => boolean): Promise<boolean> {
  const database = await openDatabase()
  if (database === null) return false
  const writing = database.transaction('outbox', 'readwrite', { durability: 'strict' })
  const now = await writing.store.get(seq)
  const isRemoved = now?.id === id && now.state === 'waiting' && isUndoable()
  if (isRemoved) await writing.store.delete(seq)
  await writing.done
  if (isRemoved) await publish()
  return isRemoved
}

/** Reads the signed-in person's saves in these states from the database, in sending order. Skips records that cannot be decrypted. */
async function* decryptOwnSaves(session: Session, ...states: SaveState[]): AsyncGenerator<OutboxEntry> {
  const own = (await (await openDatabase())?.getAllFromIndex('outbox', 'owner', getDataOwnerKey(session.user))) ?? []
  for (const record of own) {
    const entry = states.includes(record.state) ? await decryptSave(record, session) : null
    if (entry !== null) yield entry
  }
}

/** Returns the first of the signed-in person's saves that wait to be sent, read from the database; undefined when no save waits. */
export async function findNextSaveToSend(session: Session): Promise<OutboxEntry | undefined> {
  for await (const entry of decryptOwnSaves(session, 'waiting')) return entry
  return undefined
}

/**
 * Deletes saves that were sent more than `DONE_RETENTION_MS` ago, and the oldest sent saves beyond `MAX_DONE`. Keeps the signed-in
 * person's saves with open conflicts. The age of other people's saves is counted from the time of saving, because their time of sending is
 * encrypted.
 */
export async function deleteOldSentSaves(now: number, session: Session): Promise<void> {
  const database = await openDatabase()
  const done = (await database?.getAll('outbox'))?.filter(({ state }) => state === 'done') ?? []
  for (const [index, record] of done.entries()) {
    const isOwn = record.owner === getDataOwnerKey(session.user)
    const entry = isOwn ? await decryptSave(record, session) : null
    const isSettled = isOwn ? (entry?.conflicts.every(({ state }) => state === 'settled') ?? false) : true
    const isOld = now - (entry?.done_at ?? record.at) > DONE_RETENTION_MS
    if (isSettled && (isOld || index < done.length - MAX_DONE)) await database?.delete('outbox', record.seq)
  }
}
