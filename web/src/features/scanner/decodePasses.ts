import type { ReaderOptions } from 'zxing-wasm/reader'
import { findStripeDirections, getTiltFromImageAxis } from './stripeDirections'
import { MAX_SYMBOLS_PER_PICTURE, SCANNER_DECODER_SETTINGS, buildReaderOptions, listPlainPassReaderOptions, type DecoderSettings, type BarcodeFormatKind } from './decoderSettings'
import { enhanceBars, invertPicture, normalizeContrast } from './contrast'
import { scalePicture, rotatePicture, type GrayPicture, type AffineTransform } from './pixels'

/** One decoding pass over a frame: the prepared picture, the engine options, and the mapping of picture coordinates back to the frame. */
export interface DecodePass {
  name: string
  picture: GrayPicture
  options: ReaderOptions
  back: AffineTransform
}

const IDENTITY: AffineTransform = { x: 0, y: 0, xx: 1, xy: 0, yx: 0, yy: 1 }
/** Tilt in radians up to which a picture is not rotated, because the rows and columns that the engine scans still cross all bars. */
const STRAIGHT = (3 * Math.PI) / 180
/** Tilt in radians given to vertical bars, so that successive rows sample the bars at different subpixel offsets. */
const SLANT = 0.025
/** Returns the engine options for rotated pictures. Columns are scanned too, because the bars of a PDF417 code may be horizontal. */
const turned = (settings: DecoderSettings): ReaderOptions => buildReaderOptions(settings, ['linear', 'stacked'], { tryInvert: false })
/** Returns the engine options for row-averaged pictures with vertical bars. PDF417 is left out, because averaging mixes its rows. */
const averaged = (settings: DecoderSettings): ReaderOptions => buildReaderOptions(settings, ['linear'], { tryRotate: false, tryInvert: false })

export interface DecodePassInput {
  frame: GrayPicture
  /** Whether a rotated picture is enlarged to contain the full frame; otherwise the rotated picture is cropped to the size of the frame. */
  whole: boolean
  settings: DecoderSettings
  readonly directions: number[]
}

type Maker = (input: DecodePassInput) => DecodePass | null

const ALL = ['linear', 'stacked', 'matrix'] as const
/**
 * Creates the plain decoding pass, which decodes the unmodified picture. If `frame` is a number, the pass uses one set of formats;
 * successive frame numbers use the sets in turn. The values `every` (all codes in view) and `whole` (photograph) select all formats.
 */
export function createPlainPass(picture: GrayPicture, frame: number | 'every' | 'whole', settings = SCANNER_DECODER_SETTINGS): DecodePass {
  const rotated = listPlainPassReaderOptions(settings)
  const options = typeof frame === 'number' ? rotated[frame % rotated.length] : buildReaderOptions(settings, ALL, frame === 'every' ? { maxNumberOfSymbols: MAX_SYMBOLS_PER_PICTURE } : {})
  return { name: 'plain', picture, options: options ?? buildReaderOptions(settings, ALL), back: IDENTITY }
}

const cleared = (picture: GrayPicture): GrayPicture => enhanceBars(picture, 3)
/**
 * Extra decoding passes on modified pictures, used in turn. Camera frames use only the first `CAMERA_EXTRA_PASS_COUNT` of them;
 * photographs use all.
 */
export const EXTRA_DECODE_PASS_FACTORIES: readonly Maker[] = [
  (input) => turnedPass(input, 0, { name: 'turned', options: turned(input.settings) }),
  (input) => turnedPass(input, 0, { name: 'turned and cleared', treat: cleared, straightToo: true }),
  invertedMatrixPass,
  (input) => enlargedPass(input, ['linear', 'stacked']),
  (input) => turnedPass(input, 0, { name: 'inverted', treat: (picture) => invertPicture(cleared(picture)), straightToo: true }),
  evenedPass,
  (input) => enlargedPass(input, ['matrix']),
  denoisedPass,
  (input) => turnedPass(input, 1, { name: 'second direction', treat: cleared, straightToo: true }),
  (input) => turnedPass(input, 0, { name: 'turned and enlarged', factor: enlargement(input), treat: (picture) => enhanceBars(picture, 6, 3), straightToo: true }),
]
/**
 * Number of passes from the start of `EXTRA_DECODE_PASS_FACTORIES` that camera frames use in turn. The other passes are left out, because
 * the decoder of blurred linear codes replaces them.
 */
export const CAMERA_EXTRA_PASS_COUNT = 8
/**
 * Indexes in `EXTRA_DECODE_PASS_FACTORIES` of the passes that search for tilted labels, in order of use. Only the mode 'every' (all codes
 * in view) uses these indexes.
 */
export const TILTED_LABEL_PASS_INDEXES: readonly number[] = [0, 8, 1]

/**
 * Creates the input that all passes over one frame share. The stripe directions are computed when a pass first needs them, and are then
 * reused.
 */
export function createDecodePassInput(frame: GrayPicture, whole: boolean, settings = SCANNER_DECODER_SETTINGS): DecodePassInput {
  let directions: number[] | null = null
  return {
    frame,
    whole,
    settings,
    get directions() {
      return (directions ??= findStripeDirections(frame))
    },
  }
}

/**
 * Returns the width and height of a rotated picture. If `whole`, the full rotated frame fits; otherwise the size is that of the frame, and
 * the corners are cut off.
 */
function roomFor({ frame: { width, height }, whole }: DecodePassInput, angle: number): [number, number] {
  if (!whole) return [width, height]
  const cos = Math.abs(Math.cos(angle))
  const sin = Math.abs(Math.sin(angle))
  return [Math.ceil(width * cos + height * sin), Math.ceil(width * sin + height * cos)]
}

const MIDDLE = 0.55
const ENOUGH = 2200

/**
 * Returns the ratio between the sides of the output picture and of the frame when the content is enlarged by `factor`. For an enlarged
 * camera frame, the ratio is smaller than `factor`, because only the middle of the frame is kept to limit the decoding time.
 */
const partFor = (input: DecodePassInput, factor: number): number => (input.whole || factor === 1 ? factor : factor * MIDDLE)
const enlargement = ({ whole, frame: { width, height } }: DecodePassInput): number => (whole ? Math.min(2, ENOUGH / Math.max(width, height)) : 2)

interface Turn {
  name: string
  options?: ReaderOptions
  factor?: number
  treat?: (picture: GrayPicture) => GrayPicture
  /** Whether the pass also runs for bars that are parallel to the edges of the picture. */
  straightToo?: boolean
}

/** Returns whether the frame contains barcode-like stripes that are tilted against its rows and columns. */
export const hasTiltedStripes = ({ directions }: DecodePassInput): boolean => directions.some((direction) => getTiltFromImageAxis(direction) >= STRAIGHT)

function turnedPass(input: DecodePassInput, which: number, { name, options = averaged(input.settings), factor = 1, treat = (picture) => picture, straightToo = false }: Turn): DecodePass | null {
  const direction = input.directions[which]
  if (direction === undefined || (!straightToo && getTiltFromImageAxis(direction) < STRAIGHT)) return null
  const angle = getTiltFromImageAxis(direction) < SLANT ? direction + SLANT : direction
  const [wide, high] = roomFor(input, angle)
  const part = partFor(input, factor)
  const { picture, back } = rotatePicture(input.frame, angle, Math.round(wide * part), Math.round(high * part), factor)
  return { name, picture: treat(picture), options, back }
}

function enlargedPass(input: DecodePassInput, kinds: readonly BarcodeFormatKind[]): DecodePass {
  const { width, height } = input.frame
  const factor = enlargement(input)
  const part = partFor(input, factor)
  const { picture, back } = rotatePicture(input.frame, 0, Math.round(width * part), Math.round(height * part), factor)
  return { name: 'enlarged', picture, options: buildReaderOptions(input.settings, kinds, { tryDownscale: false, tryInvert: false }), back }
}

/**
 * Pass for light matrix codes on dark ground in camera frames. Photographs do not need this pass, because their plain pass uses the
 * engine's own inversion.
 */
function invertedMatrixPass({ frame, whole, settings }: DecodePassInput): DecodePass | null {
  if (whole || settings.options.tryInvert === false) return null
  return { name: 'inverted matrix', picture: invertPicture(frame), options: buildReaderOptions(settings, ['matrix'], { tryInvert: false }), back: IDENTITY }
}

/** Pass for matrix codes in shadow or glare, on a picture with normalized contrast. Other passes cover linear codes in such pictures. */
function evenedPass({ frame, settings }: DecodePassInput): DecodePass {
  return { name: 'evened', picture: normalizeContrast(frame), options: buildReaderOptions(settings, ['matrix'], { tryInvert: false }), back: IDENTITY }
}

/** Pass for matrix codes in pictures with specks: scales the picture down and uses the engine's noise removal. */
function denoisedPass({ frame, whole, settings }: DecodePassInput): DecodePass {
  const picture = scalePicture(frame, 0.75)
  const back = { ...IDENTITY, xx: 1 / 0.75, yy: 1 / 0.75 }
  return { name: 'denoised', picture, options: buildReaderOptions(settings, ['matrix'], { tryDenoise: true, ...(whole ? {} : { tryInvert: false }) }), back }
}
