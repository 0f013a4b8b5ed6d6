import { drawBars, type BarsOptions } from './drawBars'
import { drawRandomWidths, encodeCode128, encodeCode39, encodeCode93, encodeEan8, encodeItf } from './barcodeEncoders'
import { createBackground, simulateCamera, createSeededRandom, type ShadePicture } from './labels'

/** A test frame for the blurred-code decoder, and the text of its code; `null` for a frame without a readable code. */
export interface BlurredFrame {
  kind: string
  picture: ShadePicture
  text: string | null
}

const LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789'
const drawText = (random: () => number, length = 17, alphabet = LETTERS): string => Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')
const drawDigits = (random: () => number, length: number): string => drawText(random, length, '0123456789')
const between = (random: () => number, low: number, high: number): number => low + random() * (high - low)

/** Grades of difficulty: blur in modules, amplitude of the noise and contrast. */
export const BLUR_GRADES = {
  easy: { blur: 0.35, noise: 4, white: 220, black: 40 },
  mild: { blur: 0.5, noise: 5, white: 210, black: 50 },
  soft: { blur: 0.65, noise: 6, white: 200, black: 60 },
  blurred: { blur: 0.85, noise: 8, white: 190, black: 60 },
  'very blurred': { blur: 1.05, noise: 8, white: 190, black: 60 },
  noisy: { blur: 0.5, noise: 30, white: 150, black: 70 },
} as const
export type BlurGrade = keyof typeof BLUR_GRADES
export const BLURRED_FORMATS = ['code_39', 'code_128', 'code_93'] as const

const encode = (format: (typeof BLURRED_FORMATS)[number], text: string, random: () => number) =>
  format === 'code_39' ? encodeCode39(text, between(random, 2, 3)) : format === 'code_128' ? encodeCode128(text) : encodeCode93(text)

/** Returns a random view of a code: module size, angle, bend, ink spread and shadow. */
function viewOf(random: () => number, widths: number[], blur: number, side: number): BarsOptions {
  const total = widths.reduce((sum, width) => sum + width, 0)
  const module = between(random, 0.75, 0.97) * Math.min(3.2, side / (total + 20))
  return {
    widths, module, side, blur: blur * module, tall: between(random, 50, 130), turn: between(random, -90, 90), bend: between(random, -2.5, 2.5),
    spread: between(random, -0.15, 0.25), shadow: between(random, 0, 0.4), seed: 1 + Math.floor(random() * 1e9),
  }
}

/** Draws a label with a random text at a grade. The same seed gives the same label; `exposure` varies only the noise. */
export function drawGradedLabel(grade: BlurGrade, format: (typeof BLURRED_FORMATS)[number], seed: number, exposure = 0, side = 800): BlurredFrame {
  const random = createSeededRandom(seed * 7919 + 17)
  for (let round = 0; round < 5; round++) random()
  const text = drawText(random)
  const { blur, ...camera } = BLUR_GRADES[grade]
  const view = viewOf(random, encode(format, text, random), blur, side)
  return { kind: `${grade} ${format}`, text, picture: drawBars({ ...view, ...camera, seed: (view.seed ?? 1) + exposure }) }
}

/** Textures near vehicles, which are not codes. */
const TEXTURES: Record<string, (x: number, y: number, random: () => number) => number> = {
  grille: (x, y) => (x % 14 < 5 ? 30 : 190 + (y % 40)),
  fence: (x, y) => ((x + y) % 37 < 6 || (x - y + 9999) % 41 < 6 ? 40 : 200),
  waves: (x) => (Math.sin(x / 3) + Math.sin(x / 7.3) + Math.sin(x / 17.7) > 0.4 ? 30 : 225),
  slats: (x, y) => (Math.sin((x + 2 * y) / 5) + Math.sin((x + 2 * y) / 11.3) > 0.2 ? 45 : 215),
  brick: (x, y) => (y % 60 < 5 || (x + (Math.floor(y / 60) % 2) * 70) % 140 < 5 ? 210 : 120),
  print: (x, y) => ((Math.floor(x / 4) * 7919 + Math.floor(y / 5) * 104_729 + Math.floor((x * y) / 400)) % 11 < 4 && y % 22 < 14 ? 40 : 235),
  modules: (x, y) => (Math.sin(Math.floor(x / 6) * 12.9898 + Math.floor(y / 6) * 78.233) * 43_758.5453 % 1 > 0 ? 30 : 225),
  noise: (_x, _y, random) => 255 * random(),
}

function drawTexture(random: () => number, side: number): ShadePicture {
  const [name = 'grille'] = Object.keys(TEXTURES).toSorted(() => random() - 0.5)
  const [scale, turn] = [between(random, 0.5, 2), random() < 0.5 ? 0 : between(random, 0, 3.14)]
  const [cos, sin] = [Math.cos(turn) / scale, Math.sin(turn) / scale]
  const scene = createBackground(side, side)
  scene.data = scene.data.map((_, index) => {
    const [x, y] = [index % side, Math.floor(index / side)]
    return TEXTURES[name]?.(Math.floor(2000 + cos * x + sin * y), Math.floor(2000 + cos * y - sin * x), random) ?? 0
  })
  return simulateCamera(scene, { blur: random() < 0.5 ? 0 : between(random, 0.5, 2), noise: between(random, 2, 12) }, 1 + Math.floor(random() * 1e9))
}

/** Bars that must not be read: other codes, damaged codes and random bars. */
const OTHERS: Record<string, (random: () => number) => number[]> = {
  'interleaved 2 of 5': (random) => encodeItf(drawDigits(random, 2 * Math.floor(between(random, 3, 10)))),
  'EAN-8': (random) => encodeEan8(drawDigits(random, 8)),
  'random bars': (random) => drawRandomWidths(random, between(random, 30, 170)),
  'wrong check character': (random) => encodeCode128(drawText(random, 4 + Math.floor(random() * 14)), 1 + Math.floor(random() * 101)),
  'code 39 without start': (random) => encodeCode39(drawText(random, 12), between(random, 2, 3)).slice(10),
  'code 39 without stop': (random) => encodeCode39(drawText(random, 12), between(random, 2, 3)).slice(0, -11),
  'code 128 without start': (random) => encodeCode128(drawText(random, 12)).slice(6),
  'code 128 without stop': (random) => encodeCode128(drawText(random, 12)).slice(0, -6),
}

/** Draws the test frame with this number: textures, bars that must not be read, and codes up to the worst blur, a third each. */
export function drawTrapFrame(number: number, side = 640): BlurredFrame {
  const random = createSeededRandom(number * 104_729 + 11)
  for (let round = 0; round < 5; round++) random()
  if (number % 3 === 0) return { kind: 'texture', picture: drawTexture(random, side), text: null }
  const camera = { noise: between(random, 2, 20), white: between(random, 150, 240), black: between(random, 20, 70) }
  const blur = between(random, 0.3, number % 3 === 1 ? 1 : 1.3)
  if (number % 3 === 1) {
    const [kind = '', draw] = Object.entries(OTHERS)[Math.floor(random() * Object.keys(OTHERS).length)] ?? []
    return { kind, text: null, picture: drawBars({ ...viewOf(random, draw?.(random) ?? [], blur, side), ...camera }) }
  }
  const format = BLURRED_FORMATS[number % BLURRED_FORMATS.length === 0 ? 0 : Math.floor(random() * BLURRED_FORMATS.length)] ?? 'code_39'
  const text = drawText(random, 4 + Math.floor(random() * 14))
  return { kind: format, text, picture: drawBars({ ...viewOf(random, encode(format, text, random), blur, side), ...camera }) }
}
