/** Time in milliseconds without any label in view after which the same label counts as new. */
export const DUPLICATE_RESET_MS = 1200

/** Creates a filter that reports each label once while labels stay in view without a break. */
export function createDuplicateFilter(now: () => number = () => performance.now()) {
  let text: string | null = null
  let last = -Infinity
  /**
   * Texts of reported labels that match no vehicle of the campaign. The set prevents each line of a multi-line label from being
   * reported again.
   */
  let unfitting = new Set<string>()
  const isInView = () => now() - last < DUPLICATE_RESET_MS
  return {
    /**
     * Returns whether a label must be reported, and records it. Returns false for the last matching label, and for a non-matching label
     * already reported, while labels stay in view.
     */
    isNew(seen: string, fitting = true): boolean {
      if (!isInView()) {
        text = null
        unfitting = new Set()
      }
      const same = seen === text || (!fitting && unfitting.has(seen))
      if (fitting) text = seen
      else unfitting.add(seen)
      last = now()
      return !same
    },
    /** Returns whether a label was already reported as matching no vehicle, while labels have stayed in view. */
    isRefused: (seen: string): boolean => isInView() && unfitting.has(seen),
    /** Extends the time in view when any code is seen, decoded or not. Has no effect after a break of `DUPLICATE_RESET_MS` or more. */
    sees(): void {
      if (isInView()) last = now()
    },
  }
}
