import type { QueryClient } from '@tanstack/react-query'
import { raw } from '../client'
import { eventsIn } from '../events'
import { restAfter } from '../outbox/entry'
import { Problem } from '../problem'
import { currentSession } from '../session'
import { apply, catchUp, type OnConflict } from './apply'

/** The server says something every 15 s; so long a silence is a dead line. */
const SILENCE_MS = 40_000
/** A tab that is only glanced away from keeps its line. */
const HIDDEN_MS = 20_000
const SLOWER = 2
/** The answers that another try does not change before the next sign-in. */
const FINAL = [401, 403, 404]

let line: AbortController | null = null
let heardBefore = false
let following: (() => void) | null = null
let closing: ReturnType<typeof setTimeout> | undefined

/** Follows what others do while this tab is looked at and somebody is signed in. */
export function follow(queries: QueryClient, onConflict: OnConflict): void {
  hangUp() // the line of who was here before
  const look = () => {
    clearTimeout(closing)
    if (document.visibilityState !== 'visible') closing = setTimeout(hangUp, HIDDEN_MS)
    else if (line === null && currentSession() !== null) void listen(queries, onConflict)
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

async function listen(queries: QueryClient, onConflict: OnConflict): Promise<void> {
  const mine = new AbortController()
  line = mine
  let failures = 0
  while (!mine.signal.aborted && currentSession() !== null) {
    const ended = await once(queries, onConflict, mine.signal, () => {
      failures = 0
    })
    if (ended === 'final') break
    await new Promise((resolve) => {
      setTimeout(resolve, restAfter(++failures, Math.random()) * SLOWER)
    })
  }
  if (line === mine) line = null
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
    if (heardBefore) catchUp(queries)
    heardBefore = true
    for await (const event of eventsIn(response, heard)) apply(queries, event, onConflict)
  } catch (error) {
    if (error instanceof Problem && FINAL.includes(error.status)) return 'final'
  } finally {
    clearTimeout(timer)
  }
  return 'broken'
}
