import { isRecord } from '@/lib/json'
import { createStore, useStore } from '@/lib/store'
import { readStoredJson, writeStoredJson } from '@/lib/storage'

/** Numbers of saves that are stored on this device and that the server has not stored. */
export interface PendingSaveCount {
  /** Key under which this device stores the data of the person whose saves `open` and `refused` count; null without a session. */
  owner: string | null
  /** Number of the person's pending saves, including rejected saves and records that cannot be decrypted. */
  open: number
  /**
   * Number of saves among `open` that are held (not sent yet, so that the person can undo them). Absent in counts that an earlier version
   * of the app stored.
   */
  held?: number
  /** Number of the person's saves that the server rejected, plus the person's records that cannot be decrypted. */
  refused: number
  /** Number of pending saves of all other people who use this device. */
  others: number
}

const NAME = 'pendingCount'
const isPendingCount = (value: unknown): value is PendingSaveCount =>
  isRecord(value) && ['open', 'refused', 'others'].every((name) => typeof value[name] === 'number')

/** The numbers of pending saves. A copy in local storage gives a page these numbers before the page has opened the database. */
export const pendingSaveCount = createStore<PendingSaveCount>(readStoredJson(localStorage, NAME, isPendingCount) ?? { owner: null, open: 0, refused: 0, others: 0 })

/** Returns the numbers of one person's pending saves. All numbers are 0 when the stored numbers belong to another person. */
export function useOwnPendingSaveCount(owner: string): { open: number; held: number; refused: number } {
  const count = useStore(pendingSaveCount)
  return count.owner === owner ? { open: count.open, held: count.held ?? 0, refused: count.refused } : { open: 0, held: 0, refused: 0 }
}

export function recordPendingSaveCount(count: PendingSaveCount): void {
  writeStoredJson(localStorage, NAME, count)
  pendingSaveCount.set(count)
}
