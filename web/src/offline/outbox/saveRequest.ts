import { ApiProblem } from '@/api/apiProblem'
import type { Vehicle } from '@/api/types'
import { createUuid } from '@/lib/createUuid'
import type { PendingSave, OutboxEntry } from './pendingSave'

/**
 * A save as requested by a screen, without the fields that the outbox adds. With the mode 'keep', the server records conflicting values for
 * a team leader. Without a mode, the server rejects a conflicting save, so that the person chooses.
 */
export type SaveRequest = Omit<PendingSave, 'id' | 'key' | 'device_time' | 'at' | 'mode' | 'state' | 'reason' | 'conflicts' | 'done_at'> & { mode?: PendingSave['mode'] }

/** Result of a save: stored at the server, or queued on this device. A `held` save can be undone for `UNDO_PERIOD_MS`. */
export type SaveResult =
  | { kind: 'saved'; vehicle: Vehicle }
  | { kind: 'queued'; entry: OutboxEntry; held: boolean }

/** The rejection of a save that stays in the outbox, at position `seq`, until the person decides what to do with the save. */
export class RejectedSaveError extends ApiProblem {
  readonly seq: number

  constructor({ status, code, message, body }: ApiProblem, seq: number) {
    super(status, code, message, body)
    this.seq = seq
  }
}

export function createPendingSave(request: SaveRequest, key: string): PendingSave {
  const now = new Date()
  return { ...request, id: createUuid(), key, device_time: now.toISOString(), at: now.getTime(), mode: request.mode ?? 'ask', state: 'waiting', reason: null, conflicts: [], done_at: null }
}
