const LENGTH = 17
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
const CHECK_AT = 8
const LETTERS: Record<string, number> = {
  A: 1, B: 2, C: 3, D: 4, E: 5, F: 6, G: 7, H: 8,
  J: 1, K: 2, L: 3, M: 4, N: 5, P: 7, R: 9,
  S: 2, T: 3, U: 4, V: 5, W: 6, X: 7, Y: 8, Z: 9,
}

/**
 * Returns whether a text is a 17-character VIN with a valid check digit.
 * Only North America and China use check digits, so a VIN of another region may be correct although its check digit is invalid.
 */
export function hasValidCheckDigit(text: string): boolean {
  if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(text)) return false
  const sum = WEIGHTS.reduce((total, weight, place) => total + weight * valueOf(text.charAt(place)), 0)
  const rest = sum % 11
  return text.length === LENGTH && text.charAt(CHECK_AT) === (rest === 10 ? 'X' : String(rest))
}

const valueOf = (character: string): number => LETTERS[character] ?? Number(character)

/**
 * Returns whether a text has the form of a VIN and an invalid check digit, which hints at a misread label.
 */
export const hasInvalidCheckDigit = (text: string): boolean => /^[A-HJ-NPR-Z0-9]{17}$/.test(text) && !hasValidCheckDigit(text)
