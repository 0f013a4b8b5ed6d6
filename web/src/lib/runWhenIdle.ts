const MAX_WAIT_MS = 4000

/**
 * Calls a function once the browser is idle, after at most `MAX_WAIT_MS`. Browsers without `requestIdleCallback` call the function after
 * `delayMs` milliseconds.
 */
export const runWhenIdle = (act: () => void, delayMs = 1000): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(act, { timeout: MAX_WAIT_MS }) : setTimeout(act, delayMs)
