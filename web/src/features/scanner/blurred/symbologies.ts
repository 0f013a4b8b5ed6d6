import { decodeCode128Values, decodeCode39Characters, decodeCode93Values } from './codeTexts'

/** Linear symbology of the blurred-code decoder. Its characters have equal width; each begins with a bar and ends with a space. */
export interface Symbology {
  format: 'code_128' | 'code_39' | 'code_93'
  /** Widths of the bars and spaces of each character in modules, a bar first. The index is the character's value. */
  characters: readonly (readonly number[])[]
  /** Width of a character in modules, including the gap after the character. */
  width: number
  starts: readonly number[]
  stop: number
  /** Width in modules of the bar after the stop character; 0 for a symbology without this bar. */
  tail: number
  hasCheckCharacter: boolean
  /** Decodes character values (with the start, without the stop) to text; `null` for a wrong check character or an unexpected character. */
  textOf: (values: readonly number[]) => string | null
  /** Returns the same symbology for a different width of the wide bars, in modules; `null` when all bar widths are fixed. */
  withRatio: ((ratio: number) => Symbology) | null
  /** Width of a wide bar in modules; 1 for symbologies without distinct wide bars. */
  ratio: number
}

const widthsOf = (digits: string): number[] => [...digits].map(Number)
const widthOf = (widths: readonly number[] = []): number => widths.reduce((sum, width) => sum + width, 0)

/**
 * Bar patterns of Code 39: `1` is a wide bar, and two of the five bars are wide. Each pattern belongs to the characters at the same index
 * in the strings of `CODE_39_ROWS`.
 */
const TWO_OF_FIVE = ['10001', '01001', '11000', '00101', '10100', '01100', '00011', '10010', '01010', '00110']
/**
 * Space patterns of Code 39 (`1` is a wide space), each with a string of the characters that use the pattern. `TWO_OF_FIVE` contains the
 * bar patterns of these characters in the same order.
 */
const CODE_39_ROWS = [['0100', '1234567890'], ['0010', 'ABCDEFGHIJ'], ['0001', 'KLMNOPQRST'], ['1000', 'UVWXYZ-. *']] as const
/** Space patterns (`1` is a wide space) of the Code 39 characters whose bars are all narrow. */
const CODE_39_SIGNS = [['1110', '$'], ['1101', '/'], ['1011', '+'], ['0111', '%']] as const

/** Returns which bars and spaces of each Code 39 character are wide. Bars and spaces alternate, beginning with a bar. */
function code39Elements(): Map<string, boolean[]> {
  const elements = new Map<string, boolean[]>()
  const add = (character: string, bars: string, spaces: string) => elements.set(character, [...bars].flatMap((bar, index) => [bar === '1', spaces[index] === '1']).slice(0, 9))
  for (const [spaces, row] of CODE_39_ROWS) for (const [column, character] of [...row].entries()) add(character, TWO_OF_FIVE[column] ?? '', spaces)
  for (const [spaces, character] of CODE_39_SIGNS) add(character, '00000', spaces)
  return elements
}
const CODE_39 = code39Elements()
const CODE_39_CHARACTERS = [...CODE_39.keys()]
const GAP = 1

/** Creates the symbology Code 39. `ratio` is the width of wide bars and spaces in modules, usually 2 to 3. */
export function createCode39Symbology(ratio: number): Symbology {
  const star = CODE_39_CHARACTERS.indexOf('*')
  return {
    format: 'code_39',
    characters: [...CODE_39.values()].map((wide) => [...wide.map((isWide) => (isWide ? ratio : 1)), GAP]),
    width: 6 + 3 * ratio + GAP,
    starts: [star],
    stop: star,
    tail: 0,
    hasCheckCharacter: false,
    textOf: (values) => decodeCode39Characters(values.slice(1).map((value) => CODE_39_CHARACTERS[value] ?? '*')),
    withRatio: createCode39Symbology,
    ratio,
  }
}

const CODE_128_WIDTHS =
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 233111'

export const CODE_128_SYMBOLOGY: Symbology = {
  format: 'code_128',
  characters: CODE_128_WIDTHS.split(' ').map(widthsOf),
  width: 11,
  starts: [103, 104, 105],
  stop: 106,
  tail: 2,
  hasCheckCharacter: true,
  textOf: decodeCode128Values,
  withRatio: null,
  ratio: 1,
}

/** Bit patterns of the Code 93 characters, in hexadecimal: one bit per module, 1 for dark, beginning with a bar. */
const CODE_93_MODULES =
  '114 148 144 142 128 124 122 150 112 10a 1a8 1a4 1a2 194 192 18a 168 164 162 134 11a 158 14c 146 12c 116 1b4 1b2 1ac 1a6 196 19a 16c 166 136 13a 12e 1d4 1d2 1ca 16e 176 1ae 126 1da 1d6 132 15e'

/** Returns the run lengths of a bit pattern: the widths of its bars and spaces in modules. */
const runsOf = (modules: string): number[] => (modules.match(/1+|0+/g) ?? []).map((run) => run.length)

export const CODE_93_SYMBOLOGY: Symbology = {
  format: 'code_93',
  characters: CODE_93_MODULES.split(' ').map((bits) => runsOf(Number.parseInt(bits, 16).toString(2))),
  width: 9,
  starts: [47],
  stop: 47,
  tail: 1,
  hasCheckCharacter: true,
  textOf: decodeCode93Values,
  withRatio: null,
  ratio: 1,
}

export const SYMBOLOGIES: readonly Symbology[] = [CODE_128_SYMBOLOGY, createCode39Symbology(2), createCode39Symbology(2.5), createCode39Symbology(3), CODE_93_SYMBOLOGY]

/** Edge between a light and a dark area: its position in modules from the start of the code, and whether a bar begins there. */
export interface BarEdge {
  at: number
  rises: boolean
}

/**
 * Returns the edges between the bars and spaces of a character that begins at `from` (in modules), without the edges at its two ends.
 */
export function listEdgesWithinCharacter(widths: readonly number[], from: number): BarEdge[] {
  let at = from
  return widths.slice(0, -1).map((width, index) => ({ at: (at += width), rises: index % 2 === 1 }))
}

/** Returns the edges of all bars of a code, including those of the start character, the stop character and the bar after the stop. */
export function listBarEdges({ characters, width, tail }: Symbology, values: readonly number[]): BarEdge[] {
  const edges = values.flatMap((value, place) => [{ at: place * width, rises: true }, ...listEdgesWithinCharacter(characters[value] ?? [], place * width)])
  const end = values.length * width
  return tail === 0 ? edges : [...edges, { at: end, rises: true }, { at: end + tail, rises: false }]
}

/** Returns the length in modules of a code of `places` characters, without a gap after its last bar. */
export const computeCodeLength = ({ characters, width, stop, tail }: Symbology, places: number): number => places * width + (tail > 0 ? tail : widthOf(characters[stop]?.slice(0, -1)) - width)
