import { Problem } from '../problem'
import { currentSession, ownerOf } from '../session'
import type { Vehicle } from '../types'
import { signal } from '../signal'
import { createStore } from '@/lib/store'
import { uuid } from '@/lib/uuid'
import { firstWaiting, put, read, remove } from './box'
import { restAfter, verdictOn, type Entry } from './entry'
import { send } from './send'

/** What became of a save that somebody waits for. */
export type Outcome =
  | { kind: 'saved'; vehicle: Vehicle }
  /** It stays on this device and is sent later. */
  | { kind: 'kept' }
  /** Not saved and no longer kept: the person at the screen decides. */
  | { kind: 'refused'; problem: Problem }

const LOCK = 'patio-outbox'
/** Without a network a try costs battery and gains nothing; still, browsers are wrong about it now and then. */
const OFFLINE_MS = 20_000
/** A network that answers this soon after a try that failed takes reads and no saves: the next try comes in its time. */
const AFRESH_MS = 2000

/** The save that is on its way, for whoever shows it. */
export const sending = createStore<string | null>(null)

const waiters = new Map<string, (outcome: Outcome) => void>()
let onSaved: (saved: Vehicle, entry: Entry) => void = () => undefined
let running: Promise<void> | null = null
let again = false
let failures = 0
let failedAt = -AFRESH_MS
let timer: ReturnType<typeof setTimeout> | undefined

export function whenSaved(act: typeof onSaved): void {
  onSaved = act
}

/** Whether the last try led nowhere. */
export const isStuck = (): boolean => failures > 0 || !signal.get()

/** Sends what waits, now and in order; a second call while it runs lets it look once more. */
export function kick(): Promise<void> {
  clearTimeout(timer)
  again = true
  running ??= alone(work)
    .catch(() => void rest()) // a disk or a lock that fails now may work later
    .finally(() => {
      running = null
      if (again) void kick()
    })
  return running
}

/** Somebody answered again: what rests is sent now, unless its last try has only just failed. */
export function nudge(): void {
  if (performance.now() - failedAt >= AFRESH_MS) void kick()
}

/** Only one tab sends; where browsers have no locks, the saves' own keys see to it that each is done once. */
async function alone(act: () => Promise<void>): Promise<void> {
  const locks = navigator.locks as LockManager | null | undefined
  if (locks) await locks.request(LOCK, act)
  else await act()
}

async function work(): Promise<void> {
  while (again) {
    again = false
    await drain()
  }
}

async function drain(): Promise<void> {
  for (;;) {
    const session = currentSession()
    const entry = session === null ? undefined : await firstWaiting(ownerOf(session.user))
    if (session === null || entry === undefined) return void (again || release())
    if (!(await attempt(entry, session.token))) return
  }
}

/** Sends one; whether the next may follow at once. */
async function attempt(entry: Entry, token: string): Promise<boolean> {
  sending.set(entry.id)
  try {
    const vehicle = await send(entry, token)
    failures = 0
    onSaved(vehicle, entry)
    await put({ ...entry, state: 'done', reason: null, conflicts: vehicle.conflicts ?? [], done_at: Date.now() })
    tell(entry, { kind: 'saved', vehicle })
    return true
  } catch (error) {
    return await refused(entry, error instanceof Problem ? error : new Problem(0, 'OFFLINE', ''))
  } finally {
    sending.set(null)
  }
}

async function refused(entry: Entry, problem: Problem): Promise<boolean> {
  const { status, code, message } = problem
  switch (verdictOn(status, code, entry.mode)) {
    case 'again':
      return rest()
    case 'ended':
      return release()
    case 'stale':
      if (waiters.has(entry.id)) break
      // Nobody stands at the screen any more. Under a new key, because the old one asked and this one decides.
      await put({ ...entry, key: uuid(), mode: 'keep' })
      return true
    case 'refused':
      if (waiters.has(entry.id)) break
      await put({ ...entry, state: 'refused', reason: { status, code, message } })
      return true
  }
  await remove(entry.seq ?? 0)
  tell(entry, { kind: 'refused', problem })
  return true
}

/** Nothing more is sent for now; it is tried again by itself, later each time. */
function rest(): false {
  again = false
  failures++
  failedAt = performance.now()
  clearTimeout(timer)
  timer = setTimeout(() => void kick(), navigator.onLine ? restAfter(failures, Math.random()) : OFFLINE_MS)
  return release()
}

function tell(entry: Entry, outcome: Outcome): void {
  waiters.get(entry.id)?.(outcome)
}

/** Nobody need wait any longer: nothing more is sent for now. */
function release(): false {
  for (const wait of waiters.values()) wait({ kind: 'kept' })
  return false
}

/** Waits for what becomes of a save, at most so long. */
export function outcomeOf(id: string, ms: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      clearTimeout(limit)
      waiters.delete(id)
      resolve(outcome)
    }
    const limit = setTimeout(end, ms, { kind: 'kept' })
    waiters.set(id, end)
  })
}

/** Looks at the disk and sends what waits there: after a start, a sign-in, and when the network or the person is back. */
export async function wake(): Promise<void> {
  await read()
  await kick()
}
