import { cropOf } from './crop'
import type { Rgba } from './pixels'

/** As much as is decoded of a picture of the size that cameras are asked for. */
const { side: SIDE } = cropOf(1080, 1080)
const [GROUND, DARK, LIGHT] = [0xff6e6e6e, 0xff1e1e1e, 0xffe1e1e1]

interface Label {
  /** Rows of modules, `#` a dark one. */
  modules: string[]
  /** Pixels of a module, across and along. */
  wide: number
  tall: number
  turn: number
}

const MATRIX = ['#.#.#.#.#.', '##.##.#..#', '#...###.#.', '#..#....##', '#.##..#.#.', '####.##..#', '#.#..#.##.', '###.#....#', '#.#....##.', '##########']
const LINEAR = ['##.#..#....###.###.##.##.#...###.##...###.#.##']
const TILTED = ['#..#.##.##.#.#.##.##.#..#.#..#.##.##.#']
/** A Data Matrix, a Code 128, a tilted Code 39, which takes two frames, and bars that no code is made of. */
const LABELS: Label[] = [
  { modules: MATRIX, wide: 9, tall: 9, turn: 0 },
  { modules: LINEAR, wide: 4, tall: 90, turn: 0 },
  { modules: TILTED, wide: 5, tall: 60, turn: Math.PI / 6 },
  { modules: TILTED, wide: 5, tall: 60, turn: Math.PI / 6 },
  { modules: ['#.##..#.###.#...##.#.##.###..#.#.##...#.#'], wide: 4, tall: 150, turn: Math.PI / 4 },
]
const QUIET = 10

/** A label in the middle of a grey picture. */
export function drawn({ modules, wide, tall, turn }: Label, side = SIDE): Rgba {
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
/** Lets orders that came meanwhile go first. */
const pause = () => new Promise<void>((resolve) => { setTimeout(resolve) })

/**
 * Decodes labels that nobody asked for until the browser has compiled well what that takes: the first pictures cost
 * several times as much as the later ones, and those are the ones for which a person waits. Ends early when there is
 * something real to decode. Returns how many were decoded.
 */
export async function warmUp(decode: (picture: Rgba) => Promise<unknown>, isIdle: () => boolean): Promise<number> {
  let done = 0
  for (; done < TIMES * LABELS.length && isIdle(); done++) {
    const label = LABELS[done % LABELS.length]
    if (label) await decode(drawn(label))
    await pause()
  }
  return done
}
