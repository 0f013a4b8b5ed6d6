import { isFull } from '../disk'
import { Problem } from '../problem'
import { currentSession } from '../session'
import type { Vehicle } from '../types'
import { uuid } from '@/lib/uuid'
import { add } from './box'
import type { Entry } from './entry'
import { isStuck, kick, outcomeOf } from './sender'
import { send } from './send'

/** What a screen wants saved. */
export type Work = Omit<Entry, 'seq' | 'id' | 'key' | 'device_time' | 'at' | 'mode' | 'state' | 'reason' | 'conflicts' | 'done_at'>

export type Result =
  | { kind: 'saved'; vehicle: Vehicle }
  | { kind: 'kept'; entry: Entry }

/** How long a person waits for the server's answer, which tells of conflicts; after a call without one, as long as for a tap. */
const PATIENCE_MS = 1500
const STUCK_MS = 700

export function entryOf(work: Work, key: string): Entry {
  const now = new Date()
  return { ...work, id: uuid(), key, device_time: now.toISOString(), at: now.getTime(), mode: 'ask', state: 'waiting', reason: null, conflicts: [], done_at: null }
}

/**
 * Saves through the disk: it is there before anything else happens, so that nothing that was said to be saved is lost.
 *
 * Where this device cannot keep it, it is saved on the server at once or not at all, and the error says which.
 */
export async function save(work: Work, key: string): Promise<Result> {
  const entry = entryOf(work, key)
  const { kept, full } = await onDisk(entry)
  if (kept === null) return await directly(entry, full)
  const waiting = outcomeOf(entry.id, isStuck() ? STUCK_MS : PATIENCE_MS)
  void kick()
  const outcome = await waiting
  if (outcome.kind === 'refused') throw outcome.problem
  return outcome.kind === 'saved' ? outcome : { kind: 'kept', entry: kept }
}

async function onDisk(entry: Entry): Promise<{ kept: Entry | null; full: boolean }> {
  try {
    return { kept: await add(entry), full: false }
  } catch (error) {
    return { kept: null, full: isFull(error) }
  }
}

async function directly(entry: Entry, full: boolean): Promise<Result> {
  const token = currentSession()?.token ?? ''
  try {
    return { kind: 'saved', vehicle: await send(entry, token) }
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 0) throw error
    throw new Problem(0, full ? 'DISK_FULL' : 'NO_DISK', '')
  }
}
