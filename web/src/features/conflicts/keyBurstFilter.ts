import { MAX_KEY_INTERVAL_MS } from '@/lib/wedge'

/**
 * Creates a filter that calls `act` for a keystroke only when no other keystroke comes shortly before or after. A hardware scanner
 * types digits faster, and must not trigger single-key shortcuts.
 */
export function createKeyBurstFilter() {
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  return (at: number, act: () => void): void => {
    clearTimeout(timer)
    const isAlone = at - last > MAX_KEY_INTERVAL_MS
    last = at
    if (isAlone) timer = setTimeout(act, MAX_KEY_INTERVAL_MS)
  }
}
