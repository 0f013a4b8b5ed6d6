import type { ReaderOptions } from 'zxing-wasm/reader'
import { findStripeDirections, getTiltFromImageAxis } from './stripeDirections'
import { MAX_SYMBOLS_PER_PICTURE, SCANNER_DECODER_SETTINGS, buildReaderOptions, listUnmodifiedPassReaderOptions, type DecoderSettings, type BarcodeFormatKind } from './decoderSettings'
import { enhanceBars, invertPicture, normalizeContrast } from './contrast'
import { scalePicture, rotatePicture, type GrayPicture, type AffineTransform } from './pixels'

/** One decoding pass over a frame: the preprocessed picture, the ZXing options, and the mapping of picture coordinates back to the frame. */
export interface DecodePass {
  name: string
  picture: GrayPicture
  options: ReaderOptions
  back: AffineTransform
}

const IDENTITY: AffineTransform = { x: 0, y: 0, xx: 1, xy: 0, yx: 0, yy: 1 }
/** Tilt in radians up to which a picture is not rotated, because the rows and columns that ZXing scans still cross all bars. */
const MAX_UNROTATED_TILT = (3 * Math.PI) / 180
/** Tilt in radians given to vertical bars, so that successive rows sample the bars at different subpixel offsets. */
const SUBPIXEL_TILT = 0.025
/** Returns the ZXing options for rotated pictures. Columns are scanned too, because the bars of a PDF417 code may be horizontal. */
const rotatedPictureOptions = (settings: DecoderSettings): ReaderOptions => buildReaderOptions(settings, ['linear', 'stacked'], { tryInvert: false })
/** Returns the ZXing options for row-averaged pictures with vertical bars. PDF417 is left out, because averaging mixes its rows. */
const rowAveragedPictureOptions = (settings: DecoderSettings): ReaderOptions => buildReaderOptions(settings, ['linear'], { tryRotate: false, tryInvert: false })

export interface DecodePassInput {
  frame: GrayPicture
  /** Whether a rotated picture is enlarged to contain the full frame; otherwise the rotated picture is cropped to the size of the frame. */
  keepsFullFrame: boolean
  settings: DecoderSettings
  readonly directions: number[]
}

type DecodePassFactory = (input: DecodePassInput) => DecodePass | null

const ALL = ['linear', 'stacked', 'matrix'] as const
/**
 * Creates the decoding pass on the unmodified picture. If `frame` is a number, the pass uses one set of formats; successive frame numbers
 * use the sets in turn. The values `every` (all codes in view) and `photograph` select all formats.
 */
export function createUnmodifiedPass(picture: GrayPicture, frame: number | 'every' | 'photograph', settings = SCANNER_DECODER_SETTINGS): DecodePass {
  const sets = listUnmodifiedPassReaderOptions(settings)
  const options = typeof frame === 'number' ? sets[frame % sets.length] : buildReaderOptions(settings, ALL, frame === 'every' ? { maxNumberOfSymbols: MAX_SYMBOLS_PER_PICTURE } : {})
  return { name: 'unmodified', picture, options: options ?? buildReaderOptions(settings, ALL), back: IDENTITY }
}

const removeNoise = (picture: GrayPicture): GrayPicture => enhanceBars(picture, 3)
/**
 * Extra decoding passes on modified pictures, used in turn. Camera frames use only the first `CAMERA_EXTRA_PASS_COUNT` of them;
 * photographs use all.
 */
export const EXTRA_DECODE_PASS_FACTORIES: readonly DecodePassFactory[] = [
  (input) => rotatedPass(input, 0, { name: 'rotated', options: rotatedPictureOptions(input.settings) }),
  (input) => rotatedPass(input, 0, { name: 'rotated and denoised', preprocess: removeNoise, isForAxisAligned: true }),
  invertedMatrixPass,
  (input) => enlargedPass(input, ['linear', 'stacked']),
  (input) => rotatedPass(input, 0, { name: 'inverted', preprocess: (picture) => invertPicture(removeNoise(picture)), isForAxisAligned: true }),
  normalizedContrastPass,
  (input) => enlargedPass(input, ['matrix']),
  denoisedPass,
  (input) => rotatedPass(input, 1, { name: 'second direction', preprocess: removeNoise, isForAxisAligned: true }),
  (input) => rotatedPass(input, 0, { name: 'rotated and enlarged', factor: computeEnlargement(input), preprocess: (picture) => enhanceBars(picture, 6, 3), isForAxisAligned: true }),
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
export function createDecodePassInput(frame: GrayPicture, keepsFullFrame: boolean, settings = SCANNER_DECODER_SETTINGS): DecodePassInput {
  let directions: number[] | null = null
  return {
    frame,
    keepsFullFrame,
    settings,
    get directions() {
      return (directions ??= findStripeDirections(frame))
    },
  }
}

/**
 * Returns the width and height of a rotated picture. With `keepsFullFrame`, the full rotated frame fits; otherwise the size is that of the
 * frame, and the corners are cropped.
 */
function computeRotatedSize({ frame: { width, height }, keepsFullFrame }: DecodePassInput, angle: number): [number, number] {
  if (!keepsFullFrame) return [width, height]
  const cos = Math.abs(Math.cos(angle))
  const sin = Math.abs(Math.sin(angle))
  return [Math.ceil(width * cos + height * sin), Math.ceil(width * sin + height * cos)]
}

/** Side of the centre crop of an enlarged camera frame, as a share of the frame's side. */
const CENTRE_CROP_SHARE = 0.55
/** Longer side in pixels beyond which a photograph is not enlarged. */
const MAX_ENLARGED_SIDE = 2200

/**
 * Returns the ratio between the sides of the output picture and of the frame when the content is enlarged by `factor`. For an enlarged
 * camera frame, the ratio is smaller than `factor`, because only the centre of the frame is kept to limit the decoding time.
 */
const computeOutputRatio = (input: DecodePassInput, factor: number): number => (input.keepsFullFrame || factor === 1 ? factor : factor * CENTRE_CROP_SHARE)
const computeEnlargement = ({ keepsFullFrame, frame: { width, height } }: DecodePassInput): number => (keepsFullFrame ? Math.min(2, MAX_ENLARGED_SIDE / Math.max(width, height)) : 2)

interface RotatedPassOptions {
  name: string
  options?: ReaderOptions
  factor?: number
  /** Processes the rotated picture before decoding. */
  preprocess?: (picture: GrayPicture) => GrayPicture
  /** Whether the pass also runs for bars that are parallel to the edges of the picture. */
  isForAxisAligned?: boolean
}

/** Returns whether the frame contains barcode-like stripes that are tilted against its rows and columns. */
export const hasTiltedStripes = ({ directions }: DecodePassInput): boolean => directions.some((direction) => getTiltFromImageAxis(direction) >= MAX_UNROTATED_TILT)

/** Pass on a copy that is rotated so that the bars of the stripe direction with this index are vertical; `null` without such a direction. */
function rotatedPass(input: DecodePassInput, directionIndex: number, { name, options = rowAveragedPictureOptions(input.settings), factor = 1, preprocess = (picture) => picture, isForAxisAligned = false }: RotatedPassOptions): DecodePass | null {
  const direction = input.directions[directionIndex]
  if (direction === undefined || (!isForAxisAligned && getTiltFromImageAxis(direction) < MAX_UNROTATED_TILT)) return null
  const angle = getTiltFromImageAxis(direction) < SUBPIXEL_TILT ? direction + SUBPIXEL_TILT : direction
  const [wide, high] = computeRotatedSize(input, angle)
  const part = computeOutputRatio(input, factor)
  const { picture, back } = rotatePicture(input.frame, angle, Math.round(wide * part), Math.round(high * part), factor)
  return { name, picture: preprocess(picture), options, back }
}

function enlargedPass(input: DecodePassInput, kinds: readonly BarcodeFormatKind[]): DecodePass {
  const { width, height } = input.frame
  const factor = computeEnlargement(input)
  const part = computeOutputRatio(input, factor)
  const { picture, back } = rotatePicture(input.frame, 0, Math.round(width * part), Math.round(height * part), factor)
  return { name: 'enlarged', picture, options: buildReaderOptions(input.settings, kinds, { tryDownscale: false, tryInvert: false }), back }
}

/**
 * Pass for light matrix codes on dark ground in camera frames. Photographs do not need this pass, because ZXing itself also
 * tries the inverted picture there.
 */
function invertedMatrixPass({ frame, keepsFullFrame, settings }: DecodePassInput): DecodePass | null {
  if (keepsFullFrame || settings.options.tryInvert === false) return null
  return { name: 'inverted matrix', picture: invertPicture(frame), options: buildReaderOptions(settings, ['matrix'], { tryInvert: false }), back: IDENTITY }
}

/** Pass for matrix codes in shadow or glare, on a picture with normalized contrast. Other passes cover linear codes in such pictures. */
function normalizedContrastPass({ frame, settings }: DecodePassInput): DecodePass {
  return { name: 'normalized contrast', picture: normalizeContrast(frame), options: buildReaderOptions(settings, ['matrix'], { tryInvert: false }), back: IDENTITY }
}

/** Pass for matrix codes in pictures with specks: scales the picture down and uses ZXing's noise removal. */
function denoisedPass({ frame, keepsFullFrame, settings }: DecodePassInput): DecodePass {
  const picture = scalePicture(frame, 0.75)
  const back = { ...IDENTITY, xx: 1 / 0.75, yy: 1 / 0.75 }
  return { name: 'denoised', picture, options: buildReaderOptions(settings, ['matrix'], { tryDenoise: true, ...(keepsFullFrame ? {} : { tryInvert: false }) }), back }
}
