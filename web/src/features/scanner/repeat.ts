/** For how long a label must be out of sight before it counts as new. */
export const AWAY_MS = 1200

/** Lets each label through once, until it has left the view. */
export function createGate(now: () => number = () => performance.now()) {
  let text: string | null = null
  let last = 0
  return {
    /** Whether this label is another one than that which was let through last and is still in view. */
    isNew(seen: string): boolean {
      const same = seen === text && now() - last < AWAY_MS
      text = seen
      last = now()
      return !same
    },
    /** The label is in view, read or not. */
    sees(seen: string): void {
      if (seen === text) last = now()
    },
    forget(): void {
      text = null
    },
  }
}
