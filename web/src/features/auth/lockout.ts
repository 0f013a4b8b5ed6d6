import { useSyncExternalStore } from 'react'
import { isRecord, readStored, writeStored } from '@/lib/stored'

/** What this device shows of the server's lockout. The server decides; these are a display. */
const ATTEMPTS = 'loginAttempts'
const BLOCK = 'loginBlock'
const LIMIT = 5
const BLOCK_MS = 180_000

interface Attempts {
  count: number
  lastAttempt: number
}
interface Block {
  blockedUntil: number
}

const isAttempts = (value: unknown): value is Attempts => isRecord(value) && typeof value.count === 'number'
const isBlock = (value: unknown): value is Block => isRecord(value) && typeof value.blockedUntil === 'number'

/** Keeps how many attempts the server says are left. */
export function noteFailure(attemptsLeft: number | null, now: number): void {
  const before = readStored(localStorage, ATTEMPTS, isAttempts)?.count ?? 0
  const count = attemptsLeft === null ? before + 1 : LIMIT - attemptsLeft
  writeStored(localStorage, ATTEMPTS, { count, lastAttempt: now })
}

/** Keeps until when the server says sign-in is blocked, and clears the attempts. */
export function noteBlock(seconds: number | null, now: number): void {
  const milliseconds = seconds === null ? BLOCK_MS : seconds * 1000
  writeStored(localStorage, ATTEMPTS, null)
  writeStored(localStorage, BLOCK, { blockedUntil: now + milliseconds })
}

export function clearLockout(): void {
  writeStored(localStorage, ATTEMPTS, null)
  writeStored(localStorage, BLOCK, null)
}

/** Whole seconds, rounded up, until the noted block ends; 0 when there is none. */
export function secondsBlocked(now: number): number {
  const until = readStored(localStorage, BLOCK, isBlock)?.blockedUntil ?? 0
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 && seconds <= BLOCK_MS / 1000 ? seconds : 0
}

const everySecond = (tick: () => void) => {
  const timer = setInterval(tick, 1000)
  return () => clearInterval(timer)
}

/** The countdown of the block, refreshed every second. */
export const useSecondsBlocked = (): number => useSyncExternalStore(everySecond, () => secondsBlocked(Date.now()))
