import { MAX_KEY_INTERVAL_MS } from '@/lib/wedge'

/**
 * Creates a filter for single keys: calls `act` for a keystroke without another keystroke shortly before or after. Faster keystrokes are
 * ignored, because a hand scanner types the digits of a code that fast.
 */
export function createSingleKeyFilter() {
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  return (at: number, act: () => void): void => {
    clearTimeout(timer)
    const isAlone = at - last > MAX_KEY_INTERVAL_MS
    last = at
    if (isAlone) timer = setTimeout(act, MAX_KEY_INTERVAL_MS)
  }
}
