import { createBackground, simulateCamera, createSeededRandom, type ShadePicture } from './labels'

/** Parameters of a drawn linear code and of the simulated camera. */
export interface BarsOptions {
  /** Widths of the bars and spaces in modules, a bar first. */
  widths: readonly number[]
  /** Width of a module in pixels. */
  module: number
  /** Height of the bars in pixels. */
  tall?: number
  turn?: number
  /** Displacement in modules of the middle of the code along the code, as on a bent or slanted label. */
  bend?: number
  /** Standard deviation of the blur across the bars in pixels. */
  blur?: number
  /** Width in modules by which the ink makes bars wider. */
  spread?: number
  noise?: number
  white?: number
  black?: number
  /** Share of the light that is missing at the right end of the code, as in shadow. */
  shadow?: number
  /** Whether characters are printed below the bars. */
  print?: boolean
  side?: number
  seed?: number
}

/** Samples per module of a drawn code. */
const FINE = 16
const QUIET = 10

/** Draws the darkness along a code from 0 to 1, with ink spread and blur in modules. Three box blurs approximate a Gaussian blur. */
function drawLine(widths: readonly number[], blur: number, spread: number): Float64Array {
  const total = widths.reduce((sum, width) => sum + width, 0)
  let line = new Float64Array(Math.ceil((total + 2 * QUIET) * FINE))
  let at = QUIET
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) line.fill(1, Math.round((at - spread / 2) * FINE), Math.round((at + width + spread / 2) * FINE))
    at += width
  }
  const radius = Math.round((Math.sqrt(4 * (blur * FINE) ** 2 + 1) - 1) / 2)
  for (let round = 0; round < 3; round++) {
    const sums = new Float64Array(line.length + 1)
    for (const [index, dark] of line.entries()) sums[index + 1] = (sums[index] ?? 0) + dark
    line = line.map((_, index) => {
      const [from, to] = [Math.max(0, index - radius), Math.min(line.length, index + radius + 1)]
      return ((sums[to] ?? 0) - (sums[from] ?? 0)) / (2 * radius + 1)
    })
  }
  return line
}

/** Draws a picture of a linear code on a vehicle. */
export function drawBars({ widths, module, tall = 90, turn = 0, bend = 0, blur = 0.5, spread = 0, shadow = 0, print = true, side = 640, seed = 1, ...camera }: BarsOptions): ShadePicture {
  const scene = createBackground(side, side)
  const line = drawLine(widths, Math.hypot(blur, 0.29) / module, spread) // 0.29 is the standard deviation of the blur by the width of one pixel
  const random = createSeededRandom(seed)
  const letters = Array.from({ length: 4096 }, () => random() < 0.45)
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)]
  const half = line.length / FINE / 2
  for (let py = 0, index = 0; py < side; py++) {
    for (let px = 0; px < side; px++, index++) {
      const x = (cos * (px - side / 2) + sin * (py - side / 2)) / module
      const y = cos * (py - side / 2) - sin * (px - side / 2)
      if (Math.abs(x) > half || Math.abs(y) > tall / 2 + 26) continue
      const inBars = Math.abs(y) <= tall / 2
      const place = Math.floor((x + half + bend * (1 - (x / half) ** 2)) * FINE)
      const dark = inBars ? (line[place] ?? 0) : print && y > tall / 2 + 6 && y < tall / 2 + 20 && Math.abs(x) < half - QUIET && letters[(Math.floor((y - tall / 2) / 3) * 97 + Math.floor((x + half) / 1.2)) % 4096] ? 1 : 0
      scene.data[index] = 255 * (1 - dark) * (1 - (shadow * (x / half + 1)) / 2)
    }
  }
  return simulateCamera(scene, camera, seed)
}
