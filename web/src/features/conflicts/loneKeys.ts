import { MAX_KEY_INTERVAL_MS } from '@/lib/wedge'

/**
 * Creates a function that takes each keystroke and calls `act` for keys that stand alone. A key with another key shortly before or after
 * it is ignored, because a hand scanner types the digits of a code that fast.
 */
export function createLoneKeys() {
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  return (at: number, act: () => void): void => {
    clearTimeout(timer)
    const isAlone = at - last > MAX_KEY_INTERVAL_MS
    last = at
    if (isAlone) timer = setTimeout(act, MAX_KEY_INTERVAL_MS)
  }
}
