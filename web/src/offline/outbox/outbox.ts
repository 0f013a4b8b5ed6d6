import type { QueryClient } from '@tanstack/react-query'
import { refreshVehicleCountsThrottled, toVehicleListRow, updateVehicleCache } from '@/api/vehicleCache'
import { serverReachability } from '@/api/connectivity'
import { ApiProblem } from '@/api/apiProblem'
import { getCurrentSession, getDataOwnerKey, type Session } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { throttle } from '@/lib/throttle'
import { isCampaignAvailableOffline } from '../offlineCampaigns'
import { databaseProblem, isQuotaExceededError } from '../database'
import { writeSnapshotDelta } from '../snapshots/store'
import { getUndoMsLeft, getMismatchedServerVin, getVehicleMismatchGroupKey, type PendingSave, type OutboxEntry } from './pendingSave'
import { reportPendingSaves } from './pendingSavesReport'
import { createPendingSave, RejectedSaveError, type SaveRequest, type SaveResult } from './saveRequest'
import { sendPendingSave } from './sendPendingSave'
import { OutboxSender } from './sender'
import { insertPendingSave, outboxState, deleteOldSentSaves, updateOutboxEntry, loadOutbox, deleteHeldSave } from './store'

/**
 * Time in milliseconds that a screen waits for the server's response to a save, so that the screen can show a conflict. Afterwards, the
 * screen reports the save as stored on this device.
 */
const ANSWER_TIMEOUT_MS = 1500
/**
 * Shorter wait in milliseconds that replaces `ANSWER_TIMEOUT_MS` while the server is unreachable or the last attempt to send a save has
 * failed.
 */
const STUCK_TIMEOUT_MS = 700
/** Minimum time in milliseconds between two refreshes of all queries while the network keeps disconnecting and reconnecting. */
const REFRESH_INTERVAL_MS = 5000

/** Outbox of vehicle saves: stores saves on this device before they are sent, and sends them whenever the server can be reached. */
export class Outbox {
  readonly #queries: QueryClient
  readonly #sender: OutboxSender
  #isStarted = false

  /** `onRetained` is called for a rejected save that stays on this device and for which no screen waits. */
  constructor(queries: QueryClient, onRetained: (entry: OutboxEntry) => void) {
    this.#queries = queries
    this.#sender = new OutboxSender({ onSaved: (vehicle, entry) => this.#publish(vehicle, entry), onRetained })
  }

  /** Id of the save that is being sent, or null while no save is being sent. */
  get sending() {
    return this.#sender.sending
  }

  /** Sends the pending saves now, without waiting for the next retry. */
  flush(): Promise<void> {
    return this.#sender.flush()
  }

  /**
   * Sends the pending saves now. The first call also starts sending pending saves whenever the network is back or the page is shown again.
   */
  start(): void {
    void this.#sender.resume()
    if (this.#isStarted) return
    this.#isStarted = true
    const session = getCurrentSession()
    if (session !== null) void deleteOldSentSaves(Date.now(), session).then(loadOutbox)
    window.addEventListener('online', () => void this.flush())
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void this.#sender.resume())
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && this.endUndoPeriod())
    window.addEventListener('pagehide', () => this.endUndoPeriod())
    outboxState.subscribe(reportPendingSaves)
    outboxState.subscribe(() => this.#sendAfterHold())
    this.#followConnectivity()
  }

  #followConnectivity(): void {
    const refreshAll = throttle(REFRESH_INTERVAL_MS, () => void this.#queries.invalidateQueries())
    let wasOnline = serverReachability.get()
    serverReachability.subscribe(() => {
      const isOnline = serverReachability.get()
      if (isOnline) reportPendingSaves()
      if (isOnline && !wasOnline) {
        refreshAll() // replaces data that came from this device while offline
        this.#sender.flushUnlessBackingOff()
      }
      wasOnline = isOnline
    })
  }

  /**
   * Schedules the sending of this person's held saves. A held save is sent only after a delay, in which the person can undo the save. Held
   * saves from tabs that have been closed are included.
   */
  #sendAfterHold(): void {
    if (outboxState.get().entries.some((entry) => entry.state === 'waiting' && getUndoMsLeft(entry, Date.now()) > 0)) this.#sender.flushUnlessBackingOff()
  }

  /** Writes a saved vehicle to the query cache and to the vehicle list that is stored for offline use (snapshot). */
  #publish(vehicle: Vehicle, { yard }: PendingSave): void {
    updateVehicleCache(this.#queries, vehicle, yard)
    refreshVehicleCountsThrottled(this.#queries)
    if (isCampaignAvailableOffline(vehicle.campaign_id)) void writeSnapshotDelta(vehicle.campaign_id, [{ id: vehicle.id, ...toVehicleListRow(vehicle) }], {})
  }

  /**
   * Stores a save on this device, and sends the save unless it is held. A held save is sent after its undo period. Any other save first
   * ends the undo period of earlier held saves, because saves are sent in order. A save that cannot be stored is sent directly. Returns
   * `queued` if the save is held or the server has not responded in time. Throws an `ApiProblem` if the session has ended, if the server
   * rejects the save, or if the save could be neither stored nor sent.
   */
  async save(request: SaveRequest, key: string): Promise<SaveResult> {
    const session = getCurrentSession()
    // The screen belongs to a session that has ended. What was typed is still in its draft.
    if (session === null || getDataOwnerKey(session.user) !== request.owner) throw new ApiProblem(401, 'NOT_SIGNED_IN', '')
    const entry = createPendingSave(request, key)
    const { stored, isDeviceFull } = await store(entry, session)
    if (stored === null) return await sendUnstored(entry, session, isDeviceFull)
    if (stored.held) {
      void this.flush() // schedules the sending at the end of the undo period
      return { kind: 'queued', entry: stored, held: true }
    }
    this.#sender.endUndoPeriod()
    const answer = this.#sender.waitForOutcome(entry.id, this.#sender.isStuck ? STUCK_TIMEOUT_MS : ANSWER_TIMEOUT_MS)
    void this.flush()
    const outcome = await answer
    if (outcome.kind === 'refused') throw outcome.retained === null ? outcome.problem : new RejectedSaveError(outcome.problem, outcome.retained.seq)
    return outcome.kind === 'saved' ? outcome : { kind: 'queued', entry: stored, held: false }
  }

  /**
   * Deletes a held save (in its undo period, not sent yet). Returns whether the save was deleted. After the undo period, deletes nothing,
   * because the save may already have been sent.
   */
  undo(entry: OutboxEntry): Promise<boolean> {
    return deleteHeldSave(entry, () => this.#sender.isUndoable(entry))
  }

  /**
   * Sends held saves (in their undo period) now, so that they can no longer be undone. Called when the person leaves the screen that shows
   * the Undo button, or hides the page.
   */
  endUndoPeriod(): void {
    this.#sender.endUndoPeriod()
    void this.flush()
  }

  /** Sends a rejected save again. */
  retry(entry: OutboxEntry): Promise<void> {
    return this.#sendAgain([entry])
  }

  /**
   * Sends a rejected save again, for the vehicle that now has the save's vehicle id at the server. Also sends all other saves with the same
   * mismatch, so that the person confirms only once.
   */
  retryForCurrentVehicle(entry: OutboxEntry): Promise<void> {
    const question = getVehicleMismatchGroupKey(entry)
    return this.#sendAgain(outboxState.get().entries.filter((other) => question !== null && getVehicleMismatchGroupKey(other) === question))
  }

  async #sendAgain(entries: readonly OutboxEntry[]): Promise<void> {
    const session = getCurrentSession()
    if (session === null) return
    for (const entry of entries) await updateOutboxEntry({ ...entry, vin: getMismatchedServerVin(entry) ?? entry.vin, state: 'waiting', reason: null }, session)
    await this.flush()
  }
}

async function store(entry: PendingSave, session: Session): Promise<{ stored: OutboxEntry | null; isDeviceFull: boolean }> {
  try {
    return { stored: await insertPendingSave(entry, session), isDeviceFull: false }
  } catch (error) {
    return { stored: null, isDeviceFull: isQuotaExceededError(error) }
  }
}

/** Sends a save that this device could not store. If the server is unreachable, throws an `ApiProblem` that states why storing failed. */
async function sendUnstored(entry: PendingSave, { token }: Session, isDeviceFull: boolean): Promise<SaveResult> {
  try {
    return { kind: 'saved', vehicle: await sendPendingSave(entry, token) }
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 0) throw error
    throw new ApiProblem(0, isDeviceFull ? 'DISK_FULL' : databaseProblem.get() === 'outdated' ? 'OUTDATED' : 'NO_DISK', '')
  }
}
