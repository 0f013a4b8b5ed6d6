import { writeBarcode, type WriteInputBarcodeFormat } from 'zxing-wasm/writer'

/** A picture in shades of grey. */
export interface Shades {
  width: number
  height: number
  data: Uint8Array
}

export interface LabelOptions {
  /** Pixels of the narrowest bar or of one module. */
  module?: number
  /** How far the label is turned, in degrees. */
  turn?: number
  /** How much smaller the far edge is than the near one, 0 to 0.6. */
  perspective?: number
  /** Radius of the blur in pixels. */
  blur?: number
  /** The brightest and the darkest shade, and how strong the noise is. */
  white?: number
  black?: number
  noise?: number
  /** A bright spot over a part of the label, 0 to 1. */
  glare?: number
  width?: number
  height?: number
  /** Where the middle of the label is. */
  x?: number
  y?: number
}

const BARS = 34
/** Pixels of a module on the label before a camera sees it. */
const PRINTED = 6

/** The label of one code: dark modules on a bright ground with a quiet zone. */
export async function symbolOf(format: WriteInputBarcodeFormat, text: string): Promise<Shades> {
  const { symbol, error } = await writeBarcode(text, { format, scale: 1, addQuietZones: false })
  if (error !== '') throw new Error(error)
  const linear = /^(Code|EAN|UPC)/.test(format)
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

/** Paper of one shade with what a camera sees around a label: a car's body, edges and a little noise. */
export function background(width: number, height: number, shade = 96): Shades {
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = shade + 24 * Math.sin(x / 91) + 18 * Math.cos(y / 67 + x / 200)
  return { width, height, data }
}

/** Puts a label onto a picture, turned and seen at a slant, by asking for each pixel where it lies on the label. */
export function place(scene: Shades, label: Shades, { module = 3, turn = 0, perspective = 0, x = scene.width / 2, y = scene.height / 2 }: LabelOptions): void {
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

/** The mean of the places that one pixel of a sensor sees; null outside. */
function shadeAt({ width, height, data }: Shades, x: number, y: number, size: number): number | null {
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

/** The same noise every time, so that a failure can be seen again. */
function* chance(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

/** What a lens and a sensor make of a scene: blur, glare, less light, noise. */
export function seen(scene: Shades, { blur = 0, white = 235, black = 22, noise = 4, glare = 0 }: LabelOptions, seed = 7): Shades {
  const soft = blur > 0 ? smooth(smooth(scene, blur), blur) : scene
  const random = chance(seed)
  const data = soft.data.map((shade, index) => {
    const x = (index % scene.width) / scene.width - 0.56
    const y = Math.floor(index / scene.width) / scene.height - 0.48
    const light = glare * Math.exp(-(x * x + y * y) * 90) * 255
    const grain = ((random.next().value as number) + (random.next().value as number) - 1) * noise * 2
    return Math.max(0, Math.min(255, black + (shade * (white - black)) / 255 + light + grain))
  })
  return { ...scene, data }
}

function smooth({ width, height, data }: Shades, radius: number): Shades {
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

/** A whole picture: one label in front of a car. */
export async function labelPicture(format: WriteInputBarcodeFormat, text: string, options: LabelOptions = {}): Promise<Shades> {
  const { module = 3, width = 1280, height = 960 } = options
  const scene = background(width, height)
  place(scene, await symbolOf(format, text), { ...options, module })
  return seen(scene, options)
}
