import { toIdentifierKey } from '../../../lib/identifier'

const LOOK_ALIKES: Record<string, string> = { O: '0', I: '1', S: '5', B: '8', Z: '2', G: '6' }

/** Returns the comparison key of a text. Characters that look alike on a label, such as O and 0, are replaced by the same character. */
export const foldLookAlikes = (text: string): string => toIdentifierKey(text).replaceAll(/[OIZSBG]/g, (character) => LOOK_ALIKES[character] ?? character)

/** Largest pattern length for the bit-parallel search, in which each bit of an integer stands for a character. */
const MAX_BITS = 31
/**
 * For each UTF-16 code unit, a bit mask of the positions at which the pattern contains this unit. The array is cleared and reused after
 * each search, because creating it takes longer.
 */
const places = new Int32Array(0x1_0000)

/**
 * Returns the smallest number of inserted, deleted or replaced characters between a pattern and any part of a text. Uses Myers's bit-parallel
 * algorithm, in which one step handles a column of the distance table.
 */
export function computeSubstringEditDistance(pattern: string, text: string): number {
  const length = pattern.length
  if (length > MAX_BITS) return computeSubstringEditDistanceByDynamicProgramming(pattern, text)
  if (length === 0) return 0
  for (let place = 0; place < length; place++) places[pattern.charCodeAt(place)] = (places[pattern.charCodeAt(place)] ?? 0) | (1 << place)
  const top = 1 << (length - 1)
  let [plus, minus, score, best] = [-1, 0, length, length]
  for (let index = 0; index < text.length; index++) {
    const equal = places[text.charCodeAt(index)] ?? 0
    const vertical = equal | minus
    const horizontal = (((equal & plus) + plus) ^ plus) | equal
    let rising = minus | ~(horizontal | plus)
    let falling = plus & horizontal
    if (rising & top) score++
    else if (falling & top) score--
    rising <<= 1
    falling <<= 1
    plus = falling | ~(vertical | rising)
    minus = rising & vertical
    if (score < best) best = score
  }
  for (let place = 0; place < length; place++) places[pattern.charCodeAt(place)] = 0
  return best
}

/** Returns the same distance as `computeSubstringEditDistance` for patterns of any length. Computes the full distance table row by row. */
export const computeSubstringEditDistanceByDynamicProgramming = (pattern: string, text: string): number => computeWeightedSubstringEditDistance(pattern, text, [])

/** A part of a text, from its first index to the index after its last. */
export interface TextRange {
  from: number
  to: number
}

/**
 * Returns the smallest cost of changing any part of a text into a pattern. Adding a missing character costs 1. Replacing or removing the
 * character at an index costs `costs[index]`, or 1 if `costs` has no such entry. Each character of the range `required` that is not in the
 * chosen part costs 1.
 */
export function computeWeightedSubstringEditDistance(pattern: string, text: string, costs: readonly number[], required: TextRange = { from: 0, to: 0 }): number {
  const limit = (count: number) => Math.max(0, Math.min(count, required.to - required.from))
  let row = Array.from({ length: text.length + 1 }, (_, index) => limit(index - required.from))
  for (let place = 0; place < pattern.length; place++) {
    const next = [(row[0] ?? 0) + 1]
    for (let index = 0; index < text.length; index++) {
      const cost = costs[index] ?? 1
      const replaced = (row[index] ?? 0) + (pattern[place] === text[index] ? 0 : cost)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + cost))
    }
    row = next
  }
  return Math.min(...row.map((cost, index) => cost + limit(required.to - index)))
}
