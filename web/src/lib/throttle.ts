/**
 * Returns a function that calls `act` at most once per `ms` milliseconds. The first call runs immediately; later calls run once at the end
 * of the interval, with the arguments of the last call.
 */
export function throttle<Args extends unknown[]>(ms: number, act: (...args: Args) => void): (...args: Args) => void {
  let resting = false
  let next: Args | null = null
  const run = (...args: Args): void => {
    if (resting) {
      next = args
      return
    }
    resting = true
    act(...args)
    setTimeout(() => {
      resting = false
      const later = next
      next = null
      if (later !== null) run(...later)
    }, ms)
  }
  return run
}
