import { createSeededRandom } from './labels'

/** A grade of blur, slant and noise. Angles are in degrees, the radius of the blur in pixels. */
interface Grade {
  name: string
  blur: number
  slant: number
  noise: number
  paper: number
  /** Width of the text as a fraction of the picture. */
  widths: [number, number]
}
export const TEXT_LABEL_GRADES: readonly Grade[] = [
  { name: 'mild', blur: 0.8, slant: 3, noise: 5, paper: 228, widths: [0.62, 0.82] },
  { name: 'medium', blur: 1.6, slant: 7, noise: 9, paper: 200, widths: [0.55, 0.78] },
  { name: 'hard', blur: 2.6, slant: 12, noise: 13, paper: 170, widths: [0.5, 0.75] },
]

/** Ten font faces of the Debian packages fonts-dejavu-core, fonts-dejavu-extra and fonts-liberation. */
const FONTS = [
  '"DejaVu Sans"', '"DejaVu Sans Mono"', 'bold "DejaVu Sans Mono"', '"DejaVu Serif"', 'condensed "DejaVu Sans"',
  '"Liberation Sans"', 'bold "Liberation Sans"', '"Liberation Sans Narrow"', '"Liberation Mono"', '"Liberation Serif"',
]
const LAYOUTS = ['plain', 'spaced', 'split', 'titled', 'sheet'] as const
const MAKES = ['9BWZZZ377VT', '9BHBG51CAJP', '93YRBB004LJ', '8AP372111K6', 'CRETA ']

interface Vehicle {
  id: number
  vin_number: string
  parking_space: string
}

/** A label to draw: the lines with their sizes relative to the identifier, and how the camera sees it. */
export interface TextScene {
  size: number
  font: string
  lines: { text: string; scale: number }[]
  width: number
  slant: number
  blur: number
  noise: number
  paper: number
  ink: number
  ground: number
  x: number
  y: number
  seed: number
}

/** Side in pixels of the square that the scanner decodes from a camera picture with 1080 rows. */
const SIZE = 929
const CAMPAIGN = 500
/** Shares of vehicles with a neighbour in the list whose identifier differs in one and in two digits. */
const [ONE_OFF, TWO_OFF] = [0.03, 0.3]
const STRANGERS = 0.1

function createCampaign(): Vehicle[] {
  const random = createSeededRandom(77)
  const vins = new Set<string>()
  const serial = () => String(Math.floor(random() * 1_000_000)).padStart(6, '0')
  const altered = (vin: string, digits: number) => {
    const characters = [...vin]
    for (let digit = 0; digit < digits; digit++) {
      const place = characters.length - 1 - 2 * digit
      characters[place] = String((Number(characters[place]) + 1 + Math.floor(random() * 9)) % 10)
    }
    return characters.join('')
  }
  while (vins.size < CAMPAIGN) {
    const vin = `${MAKES[Math.floor(random() * MAKES.length)] ?? ''}${serial()}`
    vins.add(vin)
    const draw = random()
    if (draw < ONE_OFF / 2) vins.add(altered(vin, 1))
    else if (draw < (ONE_OFF + TWO_OFF) / 2) vins.add(altered(vin, 2))
  }
  return [...vins].map((vin_number, id) => ({ id, vin_number, parking_space: `${'ABCDEF'.charAt(id % 6)}-${100 + id}` }))
}

const campaign = createCampaign()

function linesOf(vin: string, layout: (typeof LAYOUTS)[number], random: () => number): TextScene['lines'] {
  const whole = { text: vin, scale: 1 }
  const small = (text: string) => ({ text, scale: 0.55 + random() * 0.2 })
  if (layout === 'spaced') return [{ text: vin.length === 17 ? `${vin.slice(0, 3)} ${vin.slice(3, 9)} ${vin.slice(9)}` : vin.replace(' ', ' - '), scale: 1 }]
  if (layout === 'split') return [{ text: vin.slice(0, Math.ceil(vin.length / 2)), scale: 1 }, { text: vin.slice(Math.ceil(vin.length / 2)), scale: 1 }]
  if (layout === 'titled') return [small('VIN / CHASSI'), whole]
  if (layout === 'sheet') return [small(`MFD ${String(1 + Math.floor(random() * 12)).padStart(2, '0')}/2026`), whole, small(`GVWR ${String(Math.floor(1500 + random() * 900))} KG`)]
  return [whole]
}

/**
 * Creates the scene of a label with its grade, its campaign and the vehicle that the label identifies; `vehicle` is `null` for a vehicle of
 * another campaign.
 */
export function createTextLabel(number: number) {
  const random = createSeededRandom(number * 7919 + 13)
  for (let skip = 0; skip < 3; skip++) random()
  const grade = TEXT_LABEL_GRADES[number % TEXT_LABEL_GRADES.length] as Grade
  const font = FONTS[Math.floor(number / TEXT_LABEL_GRADES.length) % FONTS.length] ?? ''
  const layout = LAYOUTS[Math.floor(random() * LAYOUTS.length)] ?? 'plain'
  const vehicle = random() < STRANGERS ? null : (campaign[Math.floor(random() * campaign.length)] ?? null)
  const text = vehicle?.vin_number ?? `${MAKES[Math.floor(random() * MAKES.length)] ?? ''}${String(Math.floor(random() * 1_000_000)).padStart(6, '0')}`
  const between = (low: number, high: number) => low + random() * (high - low)
  const isDark = random() < 0.15
  const [paper, ink] = isDark ? [45, grade.paper - 10] : [grade.paper, 40]
  const scene: TextScene = {
    size: SIZE, font, lines: linesOf(text, layout, random), paper, ink, ground: between(80, 140), seed: number + 1,
    width: between(...grade.widths) * (layout === 'split' ? 0.6 : text.length < 17 ? 0.7 : 1),
    slant: between(-grade.slant, grade.slant), blur: between(0.5, 1) * grade.blur, noise: grade.noise,
    x: between(0.47, 0.53), y: between(0.42, 0.58),
  }
  return { number, grade: grade.name, font, layout, text, vehicle: vehicle === undefined ? null : vehicle, campaign, scene }
}

/** Draws a scene as the camera sees it, in a browser. Returns one byte per pixel in base64. */
export function drawTextScene({ size, font, lines, width, slant, blur, noise, paper, ink, ground, x, y, seed }: TextScene): string {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: size, height: size })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) return ''
  const gray = (shade: number) => `rgb(${shade} ${shade} ${shade})`
  const light = context.createLinearGradient(0, 0, size, size)
  light.addColorStop(0, gray(ground - 25))
  light.addColorStop(1, gray(ground + 25))
  context.fillStyle = light
  context.fillRect(0, 0, size, size)
  const fontOf = (pixels: number) => font.replace(/"/, `${pixels}px "`)
  context.font = fontOf(100)
  const widest = Math.max(...lines.map(({ text, scale }) => context.measureText(text).width * scale))
  const letter = (100 * width * size) / widest
  const height = lines.reduce((sum, { scale }) => sum + scale * letter * 1.5, letter * 0.7)
  context.filter = `blur(${blur}px)`
  context.translate(x * size, y * size)
  context.rotate((slant * Math.PI) / 180)
  context.fillStyle = gray(paper)
  context.fillRect((-width * size) / 2 - letter, -height / 2, width * size + 2 * letter, height)
  context.fillStyle = gray(ink)
  context.textBaseline = 'alphabetic'
  let foot = -height / 2 + letter * 0.2
  for (const { text, scale } of lines) {
    foot += scale * letter * 1.5
    context.font = fontOf(scale * letter)
    context.fillText(text, (-width * size) / 2, foot - scale * letter * 0.3)
  }
  const { data } = context.getImageData(0, 0, size, size)
  let state = seed
  let shades = ''
  for (let index = 0; index < data.length; index += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const grain = ((state >>> 24) / 128 - 1 + (((state >>> 16) & 255) / 128 - 1)) * noise
    shades += String.fromCharCode(Math.max(0, Math.min(255, Math.round((data[index] ?? 0) + grain))))
  }
  return btoa(shades)
}
