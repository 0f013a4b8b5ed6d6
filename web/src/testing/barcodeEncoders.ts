import { CODE_128_SYMBOLOGY, CODE_93_SYMBOLOGY, createCode39Symbology, type Symbology } from '../features/scanner/blurred/symbologies'

/** Widths of a code's bars and spaces in modules, a bar first. */
export type BarWidths = number[]

const widthsOf = ({ characters, tail }: Symbology, values: readonly number[]): BarWidths => [...values.flatMap((value) => characters[value] ?? []), ...(tail > 0 ? [tail] : [])]

const CODE_39_ORDER = '1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-. *$/+%'
export function encodeCode39(text: string, ratio = 2.5): BarWidths {
  return widthsOf(createCode39Symbology(ratio), [...`*${text}*`].map((character) => CODE_39_ORDER.indexOf(character)))
}

/** Encodes a text in Code 128 set B. `error` is added to the check character, for a damaged code. */
export function encodeCode128(text: string, error = 0): BarWidths {
  const values = [...text].map((character) => character.charCodeAt(0) - 32)
  const sum = values.reduce((total, value, index) => total + value * (index + 1), 104)
  return widthsOf(CODE_128_SYMBOLOGY, [104, ...values, (sum + error) % 103, 106])
}

const CODE_93_ORDER = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%'
export function encodeCode93(text: string): BarWidths {
  const values = [...text].map((character) => CODE_93_ORDER.indexOf(character))
  const check = (digits: number[], most: number) => digits.toReversed().reduce((sum, value, index) => sum + value * ((index % most) + 1), 0) % 47
  const first = check(values, 20)
  return widthsOf(CODE_93_SYMBOLOGY, [47, ...values, first, check([...values, first], 15), 47])
}

const ITF_DIGITS = ['11331', '31113', '13113', '33111', '11313', '31311', '13311', '11133', '31131', '13131']
/** Encodes an even number of digits in Interleaved 2 of 5, which the blurred-code decoder does not read. */
export function encodeItf(digits: string): BarWidths {
  const pairs = digits.match(/../g) ?? []
  const inside = pairs.flatMap(([one, other]) => [...(ITF_DIGITS[Number(one)] ?? '')].flatMap((bar, index) => [Number(bar), Number(ITF_DIGITS[Number(other)]?.[index] ?? 1)]))
  return [1, 1, 1, 1, ...inside, 3, 1, 1]
}

const EAN_DIGITS = ['3211', '2221', '2122', '1411', '1132', '1231', '1114', '1312', '1213', '3112']
/** Encodes eight digits as bars of EAN-8, which the blurred-code decoder does not read. */
export function encodeEan8(digits: string): BarWidths {
  const part = (from: number) => Array.from({ length: 4 }, (_, index) => EAN_DIGITS[Number(digits[from + index])] ?? '').flatMap((widths) => Array.from(widths, Number))
  return [1, 1, 1, ...part(0), 1, 1, 1, 1, 1, ...part(4), 1, 1, 1]
}

/** Returns bars and spaces of random widths, which do not form a code. */
export const drawRandomWidths = (random: () => number, count: number): BarWidths => Array.from({ length: count - (count % 2) + 1 }, () => 1 + Math.floor(random() ** 2 * 4))
