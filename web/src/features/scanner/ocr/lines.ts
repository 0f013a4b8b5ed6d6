import { blurAndDownsampleByTwo, createBlankPicture, downsampleByTwo, getPixelAt, resamplePicture, type GrayPicture } from '../pixels'

/** A line of characters in a picture: its centre, its extent along and across its direction in pixels, and its slant in radians. */
export interface TextLine {
  x: number
  y: number
  width: number
  height: number
  slant: number
}

/** Height in pixels to which the capital letters of a text line are scaled for OCR. */
export const LETTER_HEIGHT_PX = 30
/** Margin in pixels around a scaled text line. */
const LINE_MARGIN_PX = 8
const MAX_WIDTH = 1400

const MAX_SLANT_DEGREES = 15
const COARSE_STEP = 1
const FINE_STEP = 0.25
const MAX_POINTS = 24_000
/** Minimum contrast of an edge pixel, as a share of the contrast of the strongest edges. */
const EDGE_SHARE = 0.3
/** Minimum contrast of an edge pixel, as a brightness difference from 0 to 255. */
const FAINTEST_EDGE = 10
/** Minimum number of edges in each row of a text line, as a share of the edges in the row with the most edges. */
const ROW_SHARE = 0.14
const MIN_ROW_EDGES = 6
const MIN_HEIGHT = 5
const MAX_HEIGHT = 110
const MIN_ASPECT = 1.6
/** Minimum width of the gap between two text lines beside each other, relative to their height. */
const COLUMN_GAP = 2.2
/**
 * Ratio of vertical to horizontal brightness changes below which a line counts as a barcode. Bars are vertical, so the brightness of a
 * barcode changes almost only horizontally.
 */
const BARCODE_SHARE = 0.3
/** Ratio of width to height of a line of 17 characters. Wider lines get no higher rating as a possible identifier. */
const IDENTIFIER_ASPECT = 13

const increment = (counts: Int32Array, index: number): void => {
  counts[index] = (counts[index] ?? 0) + 1
}

interface Edges {
  xs: Int16Array
  ys: Int16Array
  count: number
  threshold: number
}

/** Finds the pixels with a vertical edge, because lines of characters have many vertical edges. */
function findEdges({ width, height, data }: GrayPicture): Edges {
  const strengths = new Int32Array(256)
  const step = (place: number) => Math.abs(getPixelAt(data, place + 1) - getPixelAt(data, place - 1))
  for (let y = 0; y < height; y++) for (let x = 1; x < width - 1; x++) increment(strengths, step(y * width + x))
  let [strongest, above] = [255, 0]
  while (strongest > 0 && (above += strengths[strongest] ?? 0) < width * height * 0.004) strongest--
  const threshold = Math.max(FAINTEST_EDGE, strongest * EDGE_SHARE)
  let total = 0
  for (let strength = Math.ceil(threshold); strength < 256; strength++) total += strengths[strength] ?? 0
  const every = Math.max(1, Math.ceil(total / MAX_POINTS))
  const [xs, ys] = [new Int16Array(MAX_POINTS + 1), new Int16Array(MAX_POINTS + 1)]
  let [seen, count] = [0, 0]
  for (let y = 0; y < height; y++) {
    for (let x = 1; x < width - 1; x++) {
      if (step(y * width + x) < threshold || seen++ % every !== 0 || count >= MAX_POINTS) continue
      xs[count] = x
      ys[count++] = y
    }
  }
  return { xs, ys, count, threshold }
}

/** Counts the edges in each row of a picture sheared by a slant. The result starts at row `-reach`, since shearing moves edges upwards. */
function countRows({ xs, ys, count }: Edges, rows: number, reach: number, slant: number): Int32Array {
  const counts = new Int32Array(rows + 2 * reach)
  const rise = Math.tan(slant)
  for (let index = 0; index < count; index++) increment(counts, Math.round((ys[index] ?? 0) - rise * (xs[index] ?? 0)) + reach)
  return counts
}

/** Returns how sharply the edge counts change from row to row. The result is highest when the assumed slant makes text lines horizontal. */
function measureSharpness(counts: Int32Array): number {
  let sum = 0
  for (let row = 1; row < counts.length; row++) sum += ((counts[row] ?? 0) - (counts[row - 1] ?? 0)) ** 2
  return sum
}

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180

function findSlant(edges: Edges, rows: number, reach: number): number {
  const best = (from: number, to: number, step: number) => {
    let [found, sharpest] = [0, -1]
    for (let degrees = from; degrees <= to; degrees += step) {
      const sharpness = measureSharpness(countRows(edges, rows, reach, toRadians(degrees)))
      if (sharpness > sharpest) [found, sharpest] = [degrees, sharpness]
    }
    return found
  }
  const coarse = best(-MAX_SLANT_DEGREES, MAX_SLANT_DEGREES, COARSE_STEP)
  return toRadians(best(coarse - COARSE_STEP, coarse + COARSE_STEP, FINE_STEP))
}

interface Span {
  from: number
  to: number
}

/** Returns the spans of consecutive positions whose count reaches a minimum. A span may contain gaps of up to `gap` positions. */
function findSpans(counts: ArrayLike<number>, minimum: number, gap: number): Span[] {
  const spans: Span[] = []
  for (let place = 0; place < counts.length; place++) {
    if ((counts[place] ?? 0) < minimum) continue
    const last = spans.at(-1)
    if (last !== undefined && place - last.to <= gap + 1) last.to = place
    else spans.push({ from: place, to: place })
  }
  return spans
}

/** Returns whether a part of a picture has the edges of a barcode, which are all vertical. */
function isBarcode({ width, height, data }: GrayPicture, columns: Span, rows: Span, rise: number): boolean {
  let [along, across] = [0, 0]
  for (let x = Math.max(1, columns.from); x < Math.min(width - 1, columns.to); x++) {
    const shift = Math.round(rise * x)
    for (let y = Math.max(1, rows.from + shift); y < Math.min(height - 1, rows.to + shift); y++) {
      const place = y * width + x
      along += Math.abs(getPixelAt(data, place + 1) - getPixelAt(data, place - 1))
      across += Math.abs(getPixelAt(data, place + width) - getPixelAt(data, place - width))
    }
  }
  return across < along * BARCODE_SHARE
}

/** Returns a score for how likely a line is a vehicle's identifier, based on the shape of the line. */
const rate = ({ width, height }: TextLine): number => Math.min(IDENTIFIER_ASPECT, width / height) * Math.sqrt(height)

/** Finds lines of characters with a common slant of up to 15°, from top to bottom. */
export function findTextLines(picture: GrayPicture): TextLine[] {
  const small = blurAndDownsampleByTwo(picture)
  const edges = findEdges(small)
  const reach = Math.ceil(Math.tan(toRadians(MAX_SLANT_DEGREES + COARSE_STEP)) * small.width) + 2
  const slant = findSlant(edges, small.height, reach)
  const rise = Math.tan(slant)
  const counts = countRows(edges, small.height, reach, slant)
  const busiest = counts.reduce((most, count) => Math.max(most, count), 0)
  const lines: TextLine[] = []
  for (const band of findSpans(counts, Math.max(MIN_ROW_EDGES, busiest * ROW_SHARE), 1)) {
    const height = band.to - band.from + 1
    if (height < MIN_HEIGHT || height > MAX_HEIGHT) continue
    const rows = { from: band.from - reach, to: band.to - reach + 1 }
    for (const columns of findColumns(edges, small.width, rows, rise)) {
      const width = columns.to - columns.from + 1
      if (width < MIN_ASPECT * height || isBarcode(small, columns, rows, rise)) continue
      const x = columns.from + width / 2
      const y = rows.from + height / 2 + rise * x
      lines.push({ x: 2 * x, y: 2 * y, width: (2 * width) / Math.cos(slant), height: 2 * height * Math.cos(slant), slant })
    }
  }
  return lines
}

function findColumns({ xs, ys, count }: Edges, width: number, rows: Span, rise: number): Span[] {
  const counts = new Int32Array(width)
  for (let index = 0; index < count; index++) {
    const row = (ys[index] ?? 0) - rise * (xs[index] ?? 0)
    if (row >= rows.from - 0.5 && row <= rows.to - 0.5) increment(counts, xs[index] ?? 0)
  }
  return findSpans(counts, 1, Math.round(COLUMN_GAP * (rows.to - rows.from)))
}

/** Returns the indexes of the lines in the order in which they should be read: lines with the shape of an identifier first. */
export const listLineIndexesByPriority = (lines: readonly TextLine[]): number[] => lines.map((line, place) => ({ place, rating: rate(line) })).toSorted((a, b) => b.rating - a.rating).map(({ place }) => place)

/** Cuts a text line out of a picture: deskewed, at the height that the OCR engine reads best, dark on light and with full contrast. */
export function extractLinePicture(picture: GrayPicture, { x, y, width, height, slant }: TextLine): GrayPicture {
  let [source, shrink] = [picture, 1]
  while (height / shrink > 2 * LETTER_HEIGHT_PX) [source, shrink] = [downsampleByTwo(source), 2 * shrink]
  const scale = Math.min(LETTER_HEIGHT_PX / (height / shrink), (MAX_WIDTH - 2 * LINE_MARGIN_PX) / (width / shrink))
  const [wide, high] = [Math.round((width / shrink) * scale) + 2 * LINE_MARGIN_PX, Math.round((height / shrink) * scale) + 2 * LINE_MARGIN_PX]
  const [cos, sin] = [Math.cos(slant) / scale, Math.sin(slant) / scale]
  const cut = resamplePicture(source, wide, high, {
    x: x / shrink - (cos * wide - sin * high) / 2,
    y: y / shrink - (sin * wide + cos * high) / 2,
    xx: cos, xy: -sin, yx: sin, yy: cos,
  })
  return stretchContrast(cut)
}

const DARKEST = 0.02
const LIGHTEST = 0.9

/** Stretches the grey values of a text line to the full range. Inverts a line of light characters on a dark ground. */
export function stretchContrast({ width, height, data }: GrayPicture): GrayPicture {
  const counts = new Int32Array(256)
  for (const shade of data) increment(counts, shade)
  const shadeAt = (share: number) => {
    let [shade, below] = [0, 0]
    while (shade < 255 && (below += counts[shade] ?? 0) <= share * data.length) shade++
    return shade
  }
  const [dark, light, middle] = [shadeAt(DARKEST), shadeAt(1 - DARKEST), shadeAt(0.5)]
  const inverted = middle < (dark + light) / 2
  const [ink, paper] = inverted ? [light, shadeAt(1 - LIGHTEST)] : [dark, shadeAt(LIGHTEST)]
  const result = createBlankPicture(width, height)
  const factor = 255 / (paper - ink || 1)
  for (let index = 0; index < data.length; index++) {
    const value = (getPixelAt(data, index) - ink) * factor
    result.data[index] = value < 0 ? 0 : value > 255 ? 255 : value
  }
  return result
}
