/** Time in milliseconds without any label in view after which the same label counts as new. */
export const DUPLICATE_RESET_MS = 1200

/** Creates a filter that suppresses repeated readings of the same label until no label has been in view for `DUPLICATE_RESET_MS`. */
export function createDuplicateFilter(now: () => number = () => performance.now()) {
  let text: string | null = null
  let last = -Infinity
  /**
   * Texts of reported labels that match no vehicle of the campaign. All are kept, not only the last one, because a label with several codes
   * yields several texts in turn.
   */
  let unfitting = new Set<string>()
  const isInView = () => now() - last < DUPLICATE_RESET_MS
  return {
    /**
     * Records a label and returns whether to report it. While labels stay in view, a vehicle's label is reported again only after the label
     * of another vehicle; a label that matches no vehicle is reported once.
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
     * Prolongs the time for which labels count as in view, because a code is visible now, decoded or not. Has no effect once no label has
     * been in view for `DUPLICATE_RESET_MS`.
     */
    sees(): void {
      if (isInView()) last = now()
    },
  }
}
