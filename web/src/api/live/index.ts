import type { QueryClient } from '@tanstack/react-query'
import { isRecord } from '@/lib/stored'
import { raw } from '../client'
import { eventsIn, type ServerEvent } from '../events'
import { restAfter } from '../outbox/entry'
import { Problem } from '../problem'
import { currentOwner, currentSession } from '../session'
import { channelOf } from '../tabs'
import { apply, catchUp, type OnConflict } from './apply'

/** The server says something every 15 s; so long a silence is a dead line. */
const SILENCE_MS = 40_000
/** A tab that is only glanced away from keeps its line. */
const HIDDEN_MS = 20_000
const SLOWER = 2
/** The answers that another try does not change before the next sign-in. */
const FINAL = [401, 403, 404]
const NAME = 'patio-live'

let line: AbortController | null = null
let heardBefore = false
let following: (() => void) | null = null
let closing: ReturnType<typeof setTimeout> | undefined
let channel: BroadcastChannel | null = null

/**
 * Follows what others do while this tab is looked at and somebody is signed in.
 *
 * The tabs of one person share one stream, as a browser opens six connections to a server at most: the tab that holds the
 * lock reads it and passes each event on. Where a page has no locks (plain http), each visible tab reads its own.
 */
export function follow(queries: QueryClient, onConflict: OnConflict): void {
  hangUp() // the line of who was here before
  channel?.close()
  channel = listenToOthers(queries, onConflict)
  const look = () => {
    clearTimeout(closing)
    if (document.visibilityState !== 'visible') closing = setTimeout(hangUp, HIDDEN_MS)
    else if (line === null && currentSession() !== null) void share(queries, onConflict)
  }
  if (following !== null) document.removeEventListener('visibilitychange', following)
  following = look
  document.addEventListener('visibilitychange', look)
  look()
}

function hangUp(): void {
  line?.abort()
  line = null
}

interface Passed {
  owner: string
  /** Null when the stream was opened anew: what came in between is not known. */
  event: ServerEvent | null
}

const isPassed = (value: unknown): value is Passed => isRecord(value) && typeof value.owner === 'string'

/** Applies what the tab that reads the stream passes on. */
function listenToOthers(queries: QueryClient, onConflict: OnConflict): BroadcastChannel | null {
  return channelOf(NAME, (data) => {
    if (!isPassed(data) || data.owner !== currentOwner()) return
    heardBefore = true
    if (data.event === null) catchUp(queries)
    else apply(queries, data.event, onConflict)
  })
}

function pass(event: ServerEvent | null): void {
  const owner = currentOwner()
  if (owner !== null) channel?.postMessage({ owner, event } satisfies Passed)
}

/** Reads the stream once no other tab of this person does. */
async function share(queries: QueryClient, onConflict: OnConflict): Promise<void> {
  const mine = new AbortController()
  line = mine
  const locks = navigator.locks as LockManager | null | undefined
  try {
    if (locks) await locks.request(`${NAME} ${currentOwner()}`, { signal: mine.signal }, () => listen(queries, onConflict, mine.signal))
    else await listen(queries, onConflict, mine.signal)
  } catch (error) {
    if (!mine.signal.aborted) throw error
  } finally {
    if (line === mine) line = null
  }
}

async function listen(queries: QueryClient, onConflict: OnConflict, hung: AbortSignal): Promise<void> {
  let failures = 0
  while (!hung.aborted && currentSession() !== null) {
    const ended = await once(queries, onConflict, hung, () => {
      failures = 0
    })
    if (ended === 'final') break
    await new Promise((resolve) => {
      setTimeout(resolve, restAfter(++failures, Math.random()) * SLOWER)
    })
  }
}

/** One line until it breaks. */
async function once(queries: QueryClient, onConflict: OnConflict, hung: AbortSignal, onOpen: () => void): Promise<'final' | 'broken'> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  try {
    heard()
    const response = await raw('/events', { headers: { accept: 'text/event-stream' }, signal: AbortSignal.any([hung, silence.signal]) })
    onOpen()
    if (heardBefore) {
      catchUp(queries)
      pass(null)
    }
    heardBefore = true
    for await (const event of eventsIn(response, heard)) {
      apply(queries, event, onConflict)
      pass(event)
    }
  } catch (error) {
    if (error instanceof Problem && FINAL.includes(error.status)) return 'final'
  } finally {
    clearTimeout(timer)
  }
  return 'broken'
}
