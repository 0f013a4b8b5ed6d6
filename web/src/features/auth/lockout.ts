import { useSyncExternalStore } from 'react'
import { isRecord } from '@/lib/json'
import { readStored, writeStored } from '@/lib/storage'

/** Local storage key of the number of remaining sign-in attempts. The number is only displayed; the server enforces the lockout. */
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

/** Stores the number of remaining sign-in attempts, as the server reported it. */
export function recordAttemptsLeft(attemptsLeft: number | null, now: number): void {
  const before = readStored(localStorage, ATTEMPTS, isAttempts)?.count ?? 0
  const count = attemptsLeft === null ? before + 1 : LIMIT - attemptsLeft
  writeStored(localStorage, ATTEMPTS, { count, lastAttempt: now })
}

/** Stores the end of the lockout, as the server reported it, and clears the remaining attempts. */
export function recordLockout(seconds: number | null, now: number): void {
  const milliseconds = seconds === null ? BLOCK_MS : seconds * 1000
  writeStored(localStorage, ATTEMPTS, null)
  writeStored(localStorage, BLOCK, { blockedUntil: now + milliseconds })
}

export function clearLockout(): void {
  writeStored(localStorage, ATTEMPTS, null)
  writeStored(localStorage, BLOCK, null)
}

/** Returns the seconds until the stored lockout ends, rounded up; 0 without a lockout. */
export function getLockoutSeconds(now: number): number {
  const until = readStored(localStorage, BLOCK, isBlock)?.blockedUntil ?? 0
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 && seconds <= BLOCK_MS / 1000 ? seconds : 0
}

const everySecond = (tick: () => void) => {
  const timer = setInterval(tick, 1000)
  return () => clearInterval(timer)
}

/** Returns the remaining seconds of the lockout, refreshed every second. */
export const useLockoutSeconds = (): number => useSyncExternalStore(everySecond, () => getLockoutSeconds(Date.now()))
