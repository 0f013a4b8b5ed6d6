import { serverReachability } from '@/api/connectivity'
import { ApiProblem } from '@/api/apiProblem'
import { getCurrentDataOwnerKey, getCurrentSession, type Session } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { computeBackoffMs } from '@/lib/backoff'
import { createStore } from '@/lib/store'
import { getWebLocks } from '@/lib/tabsLock'
import { createUuid } from '@/lib/createUuid'
import { chooseSendFailureAction, getUndoMsLeft, type PendingSave, type OutboxEntry, type SaveRejection } from './pendingSave'
import { sendPendingSave } from './sendPendingSave'
import { findNextSaveToSend, updateOutboxEntry, rebaseReplacementSave, loadOutbox, deleteOutboxEntry } from './store'

/** Outcome of sending a save, as reported to the screen that waits for the server's response. */
export type SendOutcome =
  | { kind: 'saved'; vehicle: Vehicle }
  /** The server has not responded yet; the save stays on this device and is sent later. */
  | { kind: 'queued' }
  /**
   * The server rejected the save, and the person at the screen decides what to do. `retained` is the save if it stays in the outbox until
   * then, else null.
   */
  | { kind: 'refused'; problem: ApiProblem; retained: OutboxEntry | null }

export interface OutboxSenderEvents {
  /** Called when the server has stored a save. */
  onSaved: (saved: Vehicle, entry: PendingSave) => void
  /** Called when the server has rejected a save that stays in the outbox and for which no screen waits. */
  onRetained: (entry: OutboxEntry) => void
}

/** Name of the lock that a tab holds while it sends one person's saves. A request that hangs delays only the saves of that person. */
const lockOf = (owner: string | null) => `patio-outbox ${owner}`
/** Retry interval in milliseconds while the browser reports that it is offline, because browsers sometimes report this wrongly. */
const OFFLINE_RETRY_MS = 20_000
/**
 * Time in milliseconds after a failed attempt during which no event, such as a regained connection, triggers a retry. This limits the
 * retries when saves fail while other requests succeed.
 */
const MIN_RETRY_INTERVAL_MS = 2000

/** Sends the signed-in person's pending saves in order, one at a time, and retries with growing delays. */
export class OutboxSender {
  /** Id of the save that is being sent, or null while no save is being sent. */
  readonly sending = createStore<string | null>(null)
  readonly #events: OutboxSenderEvents
  readonly #waiters = new Map<string, (outcome: SendOutcome) => void>()
  #running: Promise<void> | null = null
  /** Whether the current run must check the outbox for pending saves once more before the run ends. */
  #again = false
  #failures = 0
  #failedAt = -MIN_RETRY_INTERVAL_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  /**
   * Time, in milliseconds since 1970, at which this tab last ended all undo periods early. Saves made until then can no longer be undone in
   * this tab.
   */
  #releasedAt = Number.NEGATIVE_INFINITY

  constructor(events: OutboxSenderEvents) {
    this.#events = events
  }

  /** Returns whether the last attempt to send a save failed or the server is unreachable. */
  get isStuck(): boolean {
    return this.#failures > 0 || !serverReachability.get()
  }

  /** Sends the pending saves now. If a run is already sending saves, that run checks the outbox once more before it ends. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#again = true
    this.#running ??= this.#inOneTab()
      .catch(() => void this.#retryLater()) // a database or a lock that fails now may work later
      .finally(() => {
        this.#running = null
        if (this.#again) void this.flush()
      })
    return this.#running
  }

  /** Returns whether a save is still in its undo period. The save is sent only after this period. */
  isUndoable(entry: OutboxEntry, now = Date.now()): boolean {
    return entry.at > this.#releasedAt && getUndoMsLeft(entry, now) > 0
  }

  /** Ends the undo period of all saves made so far in this tab. The next flush sends these saves. */
  endUndoPeriod(): void {
    this.#releasedAt = Date.now()
  }

  /** Sends the pending saves now, unless the last attempt failed less than `MIN_RETRY_INTERVAL_MS` ago. */
  flushUnlessBackingOff(): void {
    if (performance.now() - this.#failedAt >= MIN_RETRY_INTERVAL_MS) void this.flush()
  }

  /** Reads the outbox and sends its pending saves. Called at the start of the app, after a sign-in, and when the page is shown again. */
  async resume(): Promise<void> {
    await loadOutbox()
    await this.flush()
  }

  /** Waits for the outcome of sending a save. Resolves with `queued` if the outcome is not known after `ms` milliseconds. */
  waitForOutcome(id: string, ms: number): Promise<SendOutcome> {
    return new Promise((resolve) => {
      const end = (outcome: SendOutcome) => {
        clearTimeout(limit)
        this.#waiters.delete(id)
        resolve(outcome)
      }
      const limit = setTimeout(end, ms, { kind: 'queued' })
      this.#waiters.set(id, end)
    })
  }

  /** Sends pending saves in only one tab at a time. Without lock support in the browser, idempotency keys prevent double saves. */
  async #inOneTab(): Promise<void> {
    const locks = getWebLocks()
    const owner = getCurrentDataOwnerKey()
    if (locks === null) await this.#run(owner)
    else await locks.request(lockOf(owner), () => this.#run(owner))
  }

  /** Sends the pending saves of one person. Stops when another person has signed in, because the tab holds only the first person's lock. */
  async #run(owner: string | null): Promise<void> {
    while (this.#again && getCurrentDataOwnerKey() === owner) {
      this.#again = false
      await this.#drain(owner)
    }
  }

  async #drain(owner: string | null): Promise<void> {
    for (;;) {
      if (getCurrentDataOwnerKey() !== owner) return void (this.#again = true)
      const session = getCurrentSession()
      const now = Date.now() // taken before the read: a save whose undo period has ended by now can be sent safely
      const entry = session === null ? undefined : await findNextSaveToSend(session)
      if (session === null || entry === undefined) return void (this.#again || this.#release())
      if (this.isUndoable(entry, now)) return this.#waitForHold(entry, now)
      if (!(await this.#attempt(entry, session))) return
    }
  }

  /** Tries to send one save. Returns whether the next save can be sent immediately. */
  async #attempt(entry: OutboxEntry, session: Session): Promise<boolean> {
    this.sending.set(entry.id)
    try {
      const vehicle = await sendPendingSave(entry, session.token)
      this.#failures = 0
      if (getCurrentDataOwnerKey() === entry.owner) {
        this.#events.onSaved(vehicle, entry)
        const isStored = await updateOutboxEntry({ ...entry, state: 'done', reason: null, conflicts: vehicle.conflicts ?? [], done_at: Date.now() }, session)
        if (!isStored) await rebaseReplacementSave(entry, session)
      } else await deleteOutboxEntry(entry.seq) // its owner has signed out, after which no sent save stays on this device
      this.#settle(entry, { kind: 'saved', vehicle })
      return true
    } catch (error) {
      return await this.#failed(entry, session, error instanceof ApiProblem ? error : new ApiProblem(0, 'OFFLINE', ''))
    } finally {
      this.sending.set(null)
    }
  }

  /** Handles a failed attempt to send a save. Returns whether the next save can be sent immediately. */
  async #failed(entry: OutboxEntry, session: Session, problem: ApiProblem): Promise<boolean> {
    const { status, code, message } = problem
    const reason: SaveRejection = { status, code, message, vin_number: problem.text('vin_number') ?? undefined }
    const retained: OutboxEntry = { ...entry, state: 'refused', reason }
    const isAwaited = this.#waiters.has(entry.id)
    switch (chooseSendFailureAction(status, code, entry.mode)) {
      case 'retry':
        return this.#retryLater()
      case 'signedOut':
        return this.#release()
      case 'outdatedVersion':
        if (isAwaited) break
        // No screen waits for the response, so the save is sent again in a mode in which the server records the conflict. It needs a new
        // key, because the idempotency key of the rejected attempt cannot be used again.
        await updateOutboxEntry({ ...entry, key: createUuid(), mode: 'keep' }, session)
        return true
      case 'refused':
        if (isAwaited) break
        await updateOutboxEntry(retained, session)
        return true
      case 'retained':
        await updateOutboxEntry(retained, session)
        if (this.#waiters.has(entry.id)) this.#settle(entry, { kind: 'refused', problem, retained })
        else this.#events.onRetained(retained)
        return true
    }
    await deleteOutboxEntry(entry.seq)
    this.#settle(entry, { kind: 'refused', problem, retained: null })
    return true
  }

  /** Stops the current run and schedules the next attempt, with a longer delay after each failure. */
  #retryLater(): false {
    this.#again = false
    this.#failures++
    this.#failedAt = performance.now()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), navigator.onLine ? computeBackoffMs(this.#failures, Math.random()) : OFFLINE_RETRY_MS)
    return this.#release()
  }

  /** Schedules the next run for the end of a save's undo period. Later saves wait as well, because saves are sent in order. */
  #waitForHold(entry: OutboxEntry, now: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), getUndoMsLeft(entry, now))
    this.#release()
  }

  #settle(entry: PendingSave, outcome: SendOutcome): void {
    this.#waiters.get(entry.id)?.(outcome)
  }

  /** Resolves all pending calls of `waitForOutcome` with `queued` (stored on this device), because no more saves are sent for now. */
  #release(): false {
    for (const wait of this.#waiters.values()) wait({ kind: 'queued' })
    return false
  }
}
