/** Time in milliseconds without any label in view after which the same label counts as new. */
export const NEW_LABEL_DELAY_MS = 1200

/** Creates a filter that reports each label once while labels stay in view without a break. */
export function createDuplicateFilter(now: () => number = () => performance.now()) {
  let text: string | null = null
  let last = -Infinity
  /** Reported labels that do not match the campaign. Each line of a multi-line label is reported once. */
  let unfitting = new Set<string>()
  const isInView = () => now() - last < NEW_LABEL_DELAY_MS
  return {
    /** Returns whether a label is new: neither the last matching label nor a non-matching label that was already reported while in view. */
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
    /** Returns whether a label was reported, does not match, and has been in view since then. */
    isRefused: (seen: string): boolean => isInView() && unfitting.has(seen),
    /** Records that a code is in view, whether the code was decoded or not. */
    sees(): void {
      if (isInView()) last = now()
    },
  }
}
