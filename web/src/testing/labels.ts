import { writeBarcode, type WriteInputBarcodeFormat } from 'zxing-wasm/writer'

/** A grayscale picture, with one byte per pixel. */
export interface ShadePicture {
  width: number
  height: number
  data: Uint8Array
}

export interface LabelOptions {
  /** Width of the narrowest bar or of one module, in pixels. */
  module?: number
  /** Rotation of the label in degrees. */
  turn?: number
  /** Strength of the perspective, from 0 to 0.6: the share by which the far edge is shorter than the near edge. */
  perspective?: number
  /** Radius of the blur in pixels. */
  blur?: number
  /** The brightest shade. Together with `black` it sets the contrast; `noise` is the amplitude of the noise. */
  white?: number
  black?: number
  noise?: number
  /** Strength of a bright spot on the label, from 0 to 1. */
  glare?: number
  width?: number
  height?: number
  /** Centre of the label in the picture. */
  x?: number
  y?: number
}

const BARS = 34
/** Size of a module in the drawn label, in pixels, before it is scaled into the picture. */
const PRINTED = 6

/** Draws the label of a code, with dark modules on a light ground and a quiet zone around it. */
export async function drawSymbol(format: WriteInputBarcodeFormat, text: string): Promise<ShadePicture> {
  const { symbol, error } = await writeBarcode(text, { format, scale: 1, addQuietZones: false })
  if (error !== '') throw new Error(error)
  const linear = /^(Cod|EAN|UPC|ITF)/.test(format)
  const [rows, tall] = linear ? [1, BARS * PRINTED] : [symbol.height, PRINTED]
  const quiet = (linear ? 10 : 4) * PRINTED
  const width = symbol.width * PRINTED + 2 * quiet
  const height = rows * tall + 2 * quiet
  const data = new Uint8Array(width * height).fill(255)
  for (let y = quiet; y < height - quiet; y++) {
    for (let x = quiet; x < width - quiet; x++) {
      const module = Math.floor((y - quiet) / tall) * symbol.width + Math.floor((x - quiet) / PRINTED)
      data[y * width + x] = symbol.data[module] ?? 255
    }
  }
  return { width, height, data }
}

/** Draws the surroundings of a label in a camera picture, such as the body of a vehicle. */
export function createBackground(width: number, height: number, shade = 96): ShadePicture {
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = shade + 24 * Math.sin(x / 91) + 18 * Math.cos(y / 67 + x / 200)
  return { width, height, data }
}

/** Draws a label into a picture, with rotation and perspective. Computes for each pixel of the picture its position on the label. */
export function placeLabel(scene: ShadePicture, label: ShadePicture, { module = 3, turn = 0, perspective = 0, x = scene.width / 2, y = scene.height / 2 }: LabelOptions): void {
  const angle = (turn * Math.PI) / 180
  const fine = PRINTED / module
  const reach = Math.hypot(label.width, label.height) / fine / 2 / (1 - perspective) + 2
  for (let py = Math.max(0, Math.floor(y - reach)); py < Math.min(scene.height, y + reach); py++) {
    for (let px = Math.max(0, Math.floor(x - reach)); px < Math.min(scene.width, x + reach); px++) {
      const [u, v] = [Math.cos(angle) * (px - x) + Math.sin(angle) * (py - y), -Math.sin(angle) * (px - x) + Math.cos(angle) * (py - y)]
      const depth = (1 + (perspective * u * fine) / label.width) / fine
      const shade = shadeAt(label, u / depth + label.width / 2, v / depth + label.height / 2, fine)
      if (shade !== null) scene.data[py * scene.width + px] = shade
    }
  }
}

const FINE = 3

/** Returns the mean shade of the area of a label that one pixel covers, or null outside of the label. */
function shadeAt({ width, height, data }: ShadePicture, x: number, y: number, size: number): number | null {
  if (x < 0 || y < 0 || x >= width || y >= height) return null
  let sum = 0
  for (let row = 0; row < FINE; row++) {
    for (let column = 0; column < FINE; column++) {
      const px = Math.min(width - 1, Math.max(0, Math.floor(x + ((column - 1) * size) / FINE)))
      const py = Math.min(height - 1, Math.max(0, Math.floor(y + ((row - 1) * size) / FINE)))
      sum += data[py * width + px] ?? 255
    }
  }
  return sum / FINE / FINE
}

/** Returns a generator of random numbers from 0 to 1, which are the same for the same seed so that a failure can be reproduced. */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Simulates a camera: adds blur, glare, low contrast and noise to a picture. */
export function simulateCamera(scene: ShadePicture, { blur = 0, white = 235, black = 22, noise = 4, glare = 0 }: LabelOptions, seed = 7): ShadePicture {
  const soft = blur > 0 ? smooth(smooth(scene, blur), blur) : scene
  const random = createSeededRandom(seed)
  const data = soft.data.map((shade, index) => {
    const x = (index % scene.width) / scene.width - 0.56
    const y = Math.floor(index / scene.width) / scene.height - 0.48
    const light = glare * Math.exp(-(x * x + y * y) * 90) * 255
    const grain = (random() + random() - 1) * noise * 2
    return Math.max(0, Math.min(255, black + (shade * (white - black)) / 255 + light + grain))
  })
  return { ...scene, data }
}

function smooth({ width, height, data }: ShadePicture, radius: number): ShadePicture {
  const pass = (from: Uint8Array, step: number, count: number, lines: number, stride: number) => {
    const to = new Uint8Array(from.length)
    for (let line = 0; line < lines; line++) {
      for (let index = 0; index < count; index++) {
        let sum = 0
        let weight = 0
        for (let near = Math.max(0, Math.ceil(index - radius)); near <= Math.min(count - 1, index + radius); near++) {
          sum += from[line * stride + near * step] ?? 0
          weight++
        }
        to[line * stride + index * step] = sum / weight
      }
    }
    return to
  }
  return { width, height, data: pass(pass(data, 1, width, height, width), width, height, width, 1) }
}

/** Draws a complete picture of one label on a vehicle. */
export async function drawLabelPicture(format: WriteInputBarcodeFormat, text: string, options: LabelOptions = {}): Promise<ShadePicture> {
  const { module = 3, width = 1280, height = 960 } = options
  const scene = createBackground(width, height)
  placeLabel(scene, await drawSymbol(format, text), { ...options, module })
  return simulateCamera(scene, options)
}
