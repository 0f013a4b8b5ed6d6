/** Calls a function once the browser is idle, after at most 4 seconds. Browsers without idle callbacks call after 1 second. */
export const runWhenIdle = (act: () => void): unknown => ('requestIdleCallback' in window ? requestIdleCallback(act, { timeout: 4000 }) : setTimeout(act, 1000))
