import { MAX_KEY_INTERVAL_MS } from '@/lib/hardwareScan'

/**
 * Creates a function that calls `act` for a keystroke only if no other keystroke comes shortly before or after. Thus a hardware scanner,
 * which types characters in fast bursts, does not trigger single-key shortcuts.
 */
export function createScannerTypingFilter() {
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  return (at: number, act: () => void): void => {
    clearTimeout(timer)
    const isAlone = at - last > MAX_KEY_INTERVAL_MS
    last = at
    if (isAlone) timer = setTimeout(act, MAX_KEY_INTERVAL_MS)
  }
}
