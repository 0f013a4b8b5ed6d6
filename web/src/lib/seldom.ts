/** What runs at once, and of many calls in a row only the last one in each `ms`. */
export function seldom<Args extends unknown[]>(ms: number, act: (...args: Args) => void): (...args: Args) => void {
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
