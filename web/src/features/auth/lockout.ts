import { useSyncExternalStore } from 'react'
import { isRecord } from '@/lib/json'
import { readStoredJson, writeStoredJson } from '@/lib/storage'

/**
 * Local storage key of the number of failed sign-in attempts. The number is only displayed; the server enforces the lockout (block
 * after failed sign-ins).
 */
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

/**
 * Stores the number of failed sign-in attempts, computed from the remaining attempts that the server reported. With null, adds one
 * failed attempt.
 */
export function recordFailedSignIn(attemptsLeft: number | null, now: number): void {
  const before = readStoredJson(localStorage, ATTEMPTS, isAttempts)?.count ?? 0
  const count = attemptsLeft === null ? before + 1 : LIMIT - attemptsLeft
  writeStoredJson(localStorage, ATTEMPTS, { count, lastAttempt: now })
}

/**
 * Stores the end of the lockout (block after failed sign-ins) and clears the failed attempts. `seconds` is the duration from the
 * server; null means the default duration.
 */
export function recordLockout(seconds: number | null, now: number): void {
  const milliseconds = seconds === null ? BLOCK_MS : seconds * 1000
  writeStoredJson(localStorage, ATTEMPTS, null)
  writeStoredJson(localStorage, BLOCK, { blockedUntil: now + milliseconds })
}

export function clearLockout(): void {
  writeStoredJson(localStorage, ATTEMPTS, null)
  writeStoredJson(localStorage, BLOCK, null)
}

/** Returns the seconds until the stored lockout (block after failed sign-ins) ends, rounded up. Returns 0 without a lockout. */
export function getRemainingLockoutSeconds(now: number): number {
  const until = readStoredJson(localStorage, BLOCK, isBlock)?.blockedUntil ?? 0
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 && seconds <= BLOCK_MS / 1000 ? seconds : 0
}

const everySecond = (tick: () => void) => {
  const timer = setInterval(tick, 1000)
  return () => clearInterval(timer)
}

/** Returns the remaining seconds of the lockout (block after failed sign-ins), updated every second. Returns 0 without a lockout. */
export const useRemainingLockoutSeconds = (): number => useSyncExternalStore(everySecond, () => getRemainingLockoutSeconds(Date.now()))
