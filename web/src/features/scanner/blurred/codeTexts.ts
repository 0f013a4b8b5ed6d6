/** Joins Code 39 characters to a text. Returns `null` if they contain an asterisk, which is reserved for start and stop. */
export const decodeCode39Characters = (characters: readonly string[]): string | null => (characters.includes('*') ? null : characters.join(''))

const CHECK_MODULUS_128 = 103
const [SHIFT, TO_C, TO_B, TO_A] = [98, 99, 100, 101]
type CodeSet = 'A' | 'B' | 'C'

/**
 * Returns the text of Code 128 values, or `null` for a wrong check character. Also returns `null` for control and function characters,
 * which vehicle labels do not contain.
 */
export function decodeCode128Values(values: readonly number[]): string | null {
  const [start = 0, ...rest] = values
  const check = rest.pop()
  const sum = rest.reduce((total, value, index) => total + value * (index + 1), start)
  if (check === undefined || sum % CHECK_MODULUS_128 !== check) return null
  let set: CodeSet = start === 103 ? 'A' : start === 104 ? 'B' : 'C'
  let shifted = false
  let text = ''
  for (const value of rest) {
    const now: CodeSet = shifted ? (set === 'A' ? 'B' : 'A') : set
    shifted = false
    if (now === 'C' && value < 100) text += String(value).padStart(2, '0')
    else if (value === TO_C && now !== 'C') set = 'C'
    else if (value === TO_B && now !== 'B') set = 'B'
    else if (value === TO_A && now !== 'A') set = 'A'
    else if (value === SHIFT && now !== 'C') shifted = true
    else if (value < 64 || (now === 'B' && value < 95)) text += String.fromCharCode(value + 32)
    else return null
  }
  return text
}

const CODE_93_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%'
const CHECK_MODULUS_93 = 47

/** Returns the check value of Code 93 character values. The weights count up from 1 at the right and restart after `maxWeight`. */
function checkOfCode93(values: readonly number[], maxWeight: number): number {
  return values.toReversed().reduce((sum, value, index) => sum + value * ((index % maxWeight) + 1), 0) % CHECK_MODULUS_93
}

/**
 * Returns the text of Code 93 values, or `null` for a wrong check character. Also returns `null` for shifted characters, which vehicle
 * labels do not contain.
 */
export function decodeCode93Values(values: readonly number[]): string | null {
  const data = values.slice(1, -2)
  const [first, second] = values.slice(-2)
  const check = checkOfCode93(data, 20)
  if (values.length < 4 || first !== check || second !== checkOfCode93([...data, check], 15)) return null
  return data.every((value) => value < CODE_93_CHARACTERS.length) ? data.map((value) => CODE_93_CHARACTERS[value]).join('') : null
}
