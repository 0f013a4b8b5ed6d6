import { yieldToEventLoop } from '../../lib/yieldToEventLoop'
import { computeScanRegion } from './scanRegion'
import type { RgbaPicture } from './pixels'

/** Side length in pixels of the decoded square at the requested camera resolution. */
const { side: SIDE } = computeScanRegion(1080, 1080)
const [GROUND, DARK, LIGHT] = [0xff6e6e6e, 0xff1e1e1e, 0xffe1e1e1]

interface Label {
  /** Rows of the code's modules (smallest squares or bars); `#` is a dark module. */
  modules: string[]
  /** Width of one module of the code in pixels. */
  wide: number
  tall: number
  turn: number
}

const MATRIX = ['#.#.#.#.#.', '##.##.#..#', '#...###.#.', '#..#....##', '#.##..#.#.', '####.##..#', '#.#..#.##.', '###.#....#', '#.#....##.', '##########']
const LINEAR = ['##.#..#....###.###.##.##.#...###.##...###.#.##']
const TILTED = ['#..#.##.##.#.#.##.##.#..#.#..#.##.##.#']
/**
 * Sample labels for warming up the decoder: Data Matrix, Code 128, tilted Code 39, and bars without a code. The Code 39 label is listed
 * twice, because the decoder needs two frames for a tilted label.
 */
const LABELS: Label[] = [
  { modules: MATRIX, wide: 9, tall: 9, turn: 0 },
  { modules: LINEAR, wide: 4, tall: 90, turn: 0 },
  { modules: TILTED, wide: 5, tall: 60, turn: Math.PI / 6 },
  { modules: TILTED, wide: 5, tall: 60, turn: Math.PI / 6 },
  { modules: ['#.##..#.###.#...##.#.##.###..#.#.##...#.#'], wide: 4, tall: 150, turn: Math.PI / 4 },
]
const QUIET = 10

/** Draws a label in the centre of a grey picture. */
export function drawWarmUpLabel({ modules, wide, tall, turn }: Label, side = SIDE): RgbaPicture {
  const pixels = new Uint32Array(side * side)
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const [columns, rows] = [modules[0]?.length ?? 0, modules.length]
  for (let y = 0, index = 0; y < side; y++) {
    for (let x = 0; x < side; x++, index++) {
      const column = Math.floor((cos * (x - side / 2) + sin * (y - side / 2)) / wide + columns / 2)
      const row = Math.floor((cos * (y - side / 2) - sin * (x - side / 2)) / tall + rows / 2)
      const paper = column >= -QUIET && column < columns + QUIET && row >= -1 && row <= rows
      pixels[index] = !paper ? GROUND : modules[row]?.[column] === '#' ? DARK : LIGHT
    }
  }
  return { width: side, height: side, data: new Uint8ClampedArray(pixels.buffer) }
}

const TIMES = 2

/**
 * Decodes sample labels so that the browser optimizes the decoder before the first real frame. Otherwise the first frames, for which a
 * person waits, would take several times as long. Stops early when a real frame arrives. Returns the number of decoded samples.
 */
export async function warmUpDecoder(decode: (picture: RgbaPicture) => Promise<unknown>, isIdle: () => boolean): Promise<number> {
  let done = 0
  for (; done < TIMES * LABELS.length && isIdle(); done++) {
    const label = LABELS[done % LABELS.length]
    if (label) await decode(drawWarmUpLabel(label))
    await yieldToEventLoop()
  }
  return done
}
