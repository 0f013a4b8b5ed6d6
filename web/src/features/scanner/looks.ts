import type { ReaderOptions } from 'zxing-wasm/reader'
import { stripeDirections, tilt } from './direction'
import { DEFAULTS, EVERY, IN_TURN, MATRIX, STRIPED } from './formats'
import { clearStripes, evened, scaled, turned, type Gray, type Mapping } from './pixels'

/** What is shown to the engine, with what it shall look for, and where its places are in the frame. */
export interface Look {
  name: string
  picture: Gray
  options: ReaderOptions
  back: Mapping
}

const IDENTITY: Mapping = { x: 0, y: 0, xx: 1, xy: 0, yx: 0, yy: 1 }
/** Below this tilt the engine's rows and columns still cross all bars. */
const STRAIGHT = (3 * Math.PI) / 180
/** Bars that stand exactly upright meet the pixels the same way in every row; a little slant gives rows to choose from. */
const SLANT = 0.025
/** After turning, the stripes stand upright: rows alone will do. */
const UPRIGHT: ReaderOptions = { ...DEFAULTS, formats: [...STRIPED], tryRotate: false, tryInvert: false }

export interface Sight {
  frame: Gray
  /** Whether what is turned shall stay whole instead of keeping the size of the frame. */
  whole: boolean
  directions: number[]
}

type Maker = (sight: Sight) => Look | null

/** The picture as it is, for the formats whose turn it is; for all of them where several codes are asked for. */
export function plainLook(picture: Gray, frame: number, several = false): Look {
  const options = several ? { ...DEFAULTS, maxNumberOfSymbols: 255 } : IN_TURN[frame % IN_TURN.length]
  return { name: 'plain', picture, options: options ?? DEFAULTS, back: IDENTITY }
}

/** The extra looks, one a frame, in turn. */
export const EXTRA: readonly Maker[] = [
  (sight) => turnedLook(sight, 0, 'turned', 1, (picture) => picture),
  (sight) => turnedLook(sight, 0, 'turned and cleared', 1, (picture) => clearStripes(picture, 3), true),
  enlargedLook,
  (sight) => turnedLook(sight, 0, 'turned and enlarged', enlargement(sight), (picture) => clearStripes(picture, 6, 3), true),
  evenedLook,
  (sight) => turnedLook(sight, 1, 'second direction', 1, (picture) => clearStripes(picture, 3), true),
  denoisedLook,
]

export const sightOf = (frame: Gray, whole: boolean): Sight => ({ frame, whole, directions: stripeDirections(frame) })

/** The size of the frame, or what the turned frame needs to stay whole. */
function roomFor({ frame: { width, height }, whole }: Sight, angle: number): [number, number] {
  if (!whole) return [width, height]
  const cos = Math.abs(Math.cos(angle))
  const sin = Math.abs(Math.sin(angle))
  return [Math.ceil(width * cos + height * sin), Math.ceil(width * sin + height * cos)]
}

const MIDDLE = 0.62
const ENOUGH = 2200

/** Only the middle where it is enlarged, so that the engine's work stays the same. */
const partFor = (sight: Sight, factor: number): number => (sight.whole || factor === 1 ? factor : factor * MIDDLE)
const enlargement = ({ whole, frame: { width, height } }: Sight): number => (whole ? Math.min(2, ENOUGH / Math.max(width, height)) : 2)

function turnedLook(sight: Sight, which: number, name: string, factor: number, treat: (picture: Gray) => Gray, straightToo = false): Look | null {
  const direction = sight.directions[which]
  if (direction === undefined || (!straightToo && tilt(direction) < STRAIGHT)) return null
  const angle = tilt(direction) < SLANT ? direction + SLANT : direction
  const [wide, high] = roomFor(sight, angle)
  const part = partFor(sight, factor)
  const { picture, back } = turned(sight.frame, angle, Math.round(wide * part), Math.round(high * part), factor)
  return { name, picture: treat(picture), options: UPRIGHT, back }
}

function enlargedLook(sight: Sight): Look {
  const { width, height } = sight.frame
  const factor = enlargement(sight)
  const part = partFor(sight, factor)
  const { picture, back } = turned(sight.frame, 0, Math.round(width * part), Math.round(height * part), factor)
  return { name: 'enlarged', picture, options: { ...DEFAULTS, formats: [...EVERY], tryDownscale: false }, back }
}

function evenedLook({ frame }: Sight): Look {
  return { name: 'evened', picture: evened(frame), options: DEFAULTS, back: IDENTITY }
}

/** Small pictures of matrix codes with specks: closed, and judged by one threshold. */
function denoisedLook({ frame }: Sight): Look {
  const picture = scaled(frame, 0.75)
  const back = { ...IDENTITY, xx: 1 / 0.75, yy: 1 / 0.75 }
  return { name: 'denoised', picture, options: { ...DEFAULTS, formats: [...MATRIX], tryDenoise: true }, back }
}
