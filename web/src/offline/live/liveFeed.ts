import type { QueryClient } from '@tanstack/react-query'
import { fetchRawResponse } from '@/api/client'
import { readServerSentEvents, type ServerSentEvent } from '@/api/serverSentEvents'
import { ApiProblem } from '@/api/apiProblem'
import { getCurrentDataOwnerKey, getCurrentSession } from '@/api/session'
import { computeBackoffMs } from '@/lib/backoff'
import { isRecord } from '@/lib/json'
import { runInOneTab } from '@/lib/tabsLock'
import { openBroadcastChannel } from '../broadcastChannel'
import { applyLiveEvent, refetchMissedChanges, type ConflictListener } from './applyLiveEvent'

/** Time in milliseconds without data after which the connection counts as broken. The server sends a comment at least every 15 s. */
const SILENCE_TIMEOUT_MS = 40_000
/** Time in milliseconds for which a tab in the background keeps its connection to the event stream. */
const HIDDEN_TIMEOUT_MS = 20_000
const BACKOFF_FACTOR = 2
/** HTTP status codes after which a reconnection to the event stream is useless until the next sign-in. */
const FINAL = [401, 403, 404]
const NAME = 'patio-live'

/** An event that the tab with the connection to the server passes on to the person's other tabs. */
interface Relayed {
  owner: string
  /**
   * The relayed event, or null after a reconnection. On null, the other tabs fetch their data again, because events may have been missed.
   */
  event: ServerSentEvent | null
}

const isRelayed = (value: unknown): value is Relayed => isRecord(value) && typeof value.owner === 'string'

/** Waits for `ms`, or until the signal is aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}

/**
 * Receives the changes that other people make as server-sent events, while the page is visible and a session is open. The tabs of one
 * person share one stream, because a browser opens at most six connections to a server. Only the tab that has acquired a common lock reads
 * the stream, and it relays each event to the other tabs.
 */
export class LiveFeed {
  readonly #queries: QueryClient
  readonly #onConflict: ConflictListener
  #connection: AbortController | null = null
  #channel: BroadcastChannel | null = null
  /**
   * Whether this tab has read the event stream before, or has received events from another tab. If so, the data is fetched again when the
   * next connection opens, because events may have been missed in between.
   */
  #wasOpen = false
  #hiding: ReturnType<typeof setTimeout> | undefined

  constructor(queries: QueryClient, onConflict: ConflictListener) {
    this.#queries = queries
    this.#onConflict = onConflict
  }

  /** Starts the live feed for the signed-in person. Closes the connection of the person who was signed in before, if any. */
  start(): void {
    this.#disconnect()
    this.#channel?.close()
    this.#channel = openBroadcastChannel(NAME, (data) => this.#receive(data))
    document.addEventListener('visibilitychange', this.#checkVisibility) // adding the same listener again has no effect
    this.#checkVisibility()
  }

  readonly #checkVisibility = (): void => {
    clearTimeout(this.#hiding)
    if (document.visibilityState !== 'visible') this.#hiding = setTimeout(() => this.#disconnect(), HIDDEN_TIMEOUT_MS)
    else if (this.#connection === null && getCurrentSession() !== null) void this.#connect()
  }

  #disconnect(): void {
    this.#connection?.abort()
    this.#connection = null
  }

  /** Applies an event that another tab has relayed. */
  #receive(data: unknown): void {
    if (!isRelayed(data) || data.owner !== getCurrentDataOwnerKey()) return
    this.#wasOpen = true
    if (data.event === null) refetchMissedChanges(this.#queries)
    else applyLiveEvent(this.#queries, data.event, this.#onConflict)
  }

  #relay(event: ServerSentEvent | null): void {
    const owner = getCurrentDataOwnerKey()
    if (owner !== null) this.#channel?.postMessage({ owner, event } satisfies Relayed)
  }

  /** Waits until no other tab of this person reads the event stream, and then reads the stream in this tab. */
  async #connect(): Promise<void> {
    const own = new AbortController()
    this.#connection = own
    try {
      await runInOneTab(`${NAME} ${getCurrentDataOwnerKey()}`, own.signal, (signal) => this.#read(signal))
    } catch (error) {
      if (!own.signal.aborted) throw error
    } finally {
      if (this.#connection === own) this.#connection = null
    }
  }

  /** Reads the stream and reconnects after each interruption, until the signal is aborted or the session ends. */
  async #read(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted && getCurrentSession() !== null) {
      const end = await this.#readOnce(signal, () => {
        failures = 0
      })
      if (end === 'final' || signal.aborted) break
      await sleep(computeBackoffMs(++failures, Math.random()) * BACKOFF_FACTOR, signal)
    }
  }

  /** Reads the event stream until the connection breaks. Returns `final` when a reconnection is useless. */
  async #readOnce(signal: AbortSignal, onOpen: () => void): Promise<'final' | 'broken'> {
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const restartTimer = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS)
    }
    try {
      restartTimer()
      const response = await fetchRawResponse('/events', { headers: { accept: 'text/event-stream' }, signal: AbortSignal.any([signal, silence.signal]) })
      onOpen()
      if (this.#wasOpen) {
        refetchMissedChanges(this.#queries)
        this.#relay(null)
      }
      this.#wasOpen = true
      for await (const event of readServerSentEvents(response, restartTimer)) {
        applyLiveEvent(this.#queries, event, this.#onConflict)
        this.#relay(event)
      }
    } catch (error) {
      if (error instanceof ApiProblem && FINAL.includes(error.status)) return 'final'
    } finally {
      clearTimeout(timer)
    }
    return 'broken'
  }
}
