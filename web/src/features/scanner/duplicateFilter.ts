/** Time in milliseconds without any label in view after which the same label counts as new. */
export const DUPLICATE_RESET_MS = 1200

/** Creates a filter that suppresses repeated readings of the same label until no label has been in view for `DUPLICATE_RESET_MS`. */
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
     * Records a label and returns whether it must be reported. While labels stay in view, a label that matches a vehicle is reported again
     * only after another such label, and any other label is reported once.
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
    /**
     * Returns whether a label was already reported as matching no vehicle. Such labels are forgotten once no label has been in view for
     * `DUPLICATE_RESET_MS`.
     */
    isRefused: (seen: string): boolean => isInView() && unfitting.has(seen),
    /**
     * Records that a code is in view now, decoded or not, so that the labels still count as in view. Has no effect after a break of
     * `DUPLICATE_RESET_MS` or more.
     */
    sees(): void {
      if (isInView()) last = now()
    },
  }
}
