/**
 * Maximum time in milliseconds between two keystrokes of a hardware scanner. Slow scanners pause for about 100 ms after each key, most
 * others for about 10 ms.
 */
export const MAX_KEY_INTERVAL_MS = 110
/**
 * Maximum time in milliseconds between two keystrokes of a fast scanner; no person types this fast. Slower input counts as a scan only
 * if its pace is even and its text is long, contains a digit and has no lower-case letters.
 */
const FAST_KEY_INTERVAL_MS = 70
/**
 * Maximum difference in milliseconds between the shortest and the longest interval between the keystrokes of a slow scanner. A slow scanner
 * types at an even pace.
 */
const MAX_UNEVENNESS_MS = 40
const MIN_LENGTH = 5
/** Minimum length of a code from a slow scanner. A user rarely types this many capitals and digits at an even, fast pace. */
const MIN_SLOW_LENGTH = 8
/** Pattern of a code typed by a slow scanner: at least one digit, and no lower-case letters. */
const SLOW_TEXT = /^(?=.*\d)[^\p{Ll}]*$/u

/** Keys that mark the end of a code. Some hardware scanners also send one of these keys before the code. */
const ENDS = new Set(['Enter', 'Tab'])
/** Keys that edit text or move the cursor, which hardware scanners never send. */
const EDITS = /^(Backspace|Delete|Escape|Home|End|Arrow|Page)/

/** One keystroke and its time in milliseconds. */
export interface Keystroke {
  key: string
  at: number
}

/** Effect of one keystroke on the scan in progress. */
export interface KeystrokeResult {
  /** The scanned text that this key completes; null when the key completes no scan. */
  scan: string | null
  /** Whether the key belongs to a sequence of fast keystrokes. */
  isFast: boolean
  /** Whether the key starts a sequence of fast keystrokes. */
  isFirst: boolean
  /** Whether the key is a second end key of the scan that was just completed, such as Enter after Tab. */
  isTrailing: boolean
}

/** Creates a detector of hardware scanners that type like a keyboard. It collects fast keystrokes until Enter or Tab completes a scan. */
export function createHardwareScanDetector() {
  let text = ''
  let last = -Infinity
  let completed = false
  let shortest = Infinity
  let longest = 0
  /**
   * Returns whether a scanner typed the collected text. The pace and the length decide; at a slow pace, the evenness of the pace and the
   * characters also count.
   */
  const isScan = (): boolean =>
    longest <= FAST_KEY_INTERVAL_MS ? text.length >= MIN_LENGTH : text.length >= MIN_SLOW_LENGTH && longest - shortest <= MAX_UNEVENNESS_MS && SLOW_TEXT.test(text)
  const start = (first: string) => {
    text = first
    shortest = Infinity
    longest = 0
  }
  return {
    take({ key, at }: Keystroke): KeystrokeResult {
      const interval = at - last
      const fast = interval <= MAX_KEY_INTERVAL_MS
      const isFirst = !fast || completed // a second code may follow the first one immediately
      const isTrailing = fast && completed
      completed = false
      last = at
      if (fast && text !== '') {
        shortest = Math.min(shortest, interval)
        longest = Math.max(longest, interval)
      }
      if (ENDS.has(key)) {
        const scan = fast && isScan() ? text : null
        const endsText = fast && text !== '' // a person who tabs to a button and presses it has typed no text
        completed = scan !== null
        start('')
        return { scan, isFast: endsText || isTrailing, isFirst, isTrailing }
      }
      if (key.length !== 1) {
        if (EDITS.test(key)) start('')
        return { scan: null, isFast: fast && text !== '', isFirst: false, isTrailing: false }
      }
      if (fast) text += key
      else start(key)
      return { scan: null, isFast: text.length > 1, isFirst, isTrailing: false }
    },
  }
}
