import { getPixelAt, type GrayPicture } from '../pixels'

/** Height in pixels of a band: a group of rows that are averaged before the search for bars. */
export const BAND_HEIGHT_PX = 8
/** Width in pixels of a cell, the part of a band that is scored at once. */
const CELL_WIDTH = 16
/**
 * Minimum score of a cell with bars, as a share of the strongest cells' score and as a multiple of the median score (noise). The larger
 * minimum applies, but at most `MAX_THRESHOLD_SHARE` of the strongest cells' score.
 */
const [MIN_SHARE_OF_STRONGEST, MIN_FACTOR_OF_NOISE] = [0.12, 3]
const MAX_THRESHOLD_SHARE = 0.4
const MIN_CELLS_WIDE = 3

/** Region of a picture with vertical bars. Columns are in pixels, rows in bands (groups of rows); `bestBand` has the clearest bars. */
export interface BarStrip {
  left: number
  right: number
  firstBand: number
  lastBand: number
  bestBand: number
  score: number
}

/** Picture reduced to bands (groups of rows): the mean brightness of each column in each band. */
export interface RowBands {
  count: number
  width: number
  means: Float64Array[]
}

/** Averages the rows of each band (group of rows) of a picture in which the bars are vertical. */
export function createRowBands({ width, height, data }: GrayPicture): RowBands {
  const count = Math.floor(height / BAND_HEIGHT_PX)
  const means = Array.from({ length: count }, (_, band) => {
    const sum = new Float64Array(width)
    for (let row = band * BAND_HEIGHT_PX; row < (band + 1) * BAND_HEIGHT_PX; row++) {
      for (let x = 0, place = row * width; x < width; x++, place++) sum[x] = (sum[x] ?? 0) + getPixelAt(data, place)
    }
    return sum.map((value) => value / BAND_HEIGHT_PX)
  })
  return { count, width, means }
}

/**
 * Scores each cell by the edges that continue in the cell below. Bars continue from cell to cell; printed text and noise do not. A cell is
 * a short part of a band (group of rows).
 */
function scoreCells({ count, width, means }: RowBands): { columns: number; scores: Float64Array } {
  const columns = Math.floor((width - 2) / CELL_WIDTH)
  const scores = new Float64Array(columns * count)
  for (let band = 0; band + 1 < count; band++) {
    const upper = means[band]
    const lower = means[band + 1]
    if (upper === undefined || lower === undefined) continue
    for (let column = 0; column < columns; column++) {
      let common = 0
      let balance = 0
      for (let x = column * CELL_WIDTH + 1; x <= (column + 1) * CELL_WIDTH; x++) {
        const one = (upper[x + 1] ?? 0) - (upper[x - 1] ?? 0)
        common += one * ((lower[x + 1] ?? 0) - (lower[x - 1] ?? 0))
        balance += one
      }
      // Subtracting the balance suppresses outlines, whose edges are all rising or all falling. Bars have as many rising as falling edges.
      scores[band * columns + column] = Math.sqrt(Math.max(0, common - (balance * balance) / CELL_WIDTH))
    }
  }
  return { columns, scores }
}

/** Finds up to `most` regions with vertical bars, the strongest first. A region consists of adjacent cells with a high score. */
export function findBarStrips(bands: RowBands, most: number): BarStrip[] {
  const { columns, scores } = scoreCells(bands)
  const ordered = scores.toSorted()
  const strongest = ordered.at(-3 * MIN_CELLS_WIDE) ?? 0
  const noise = ordered[ordered.length >> 1] ?? 0
  const least = Math.max(MIN_SHARE_OF_STRONGEST * strongest, Math.min(MIN_FACTOR_OF_NOISE * noise, MAX_THRESHOLD_SHARE * strongest)) || Infinity
  const seen = new Uint8Array(scores.length)
  const strips: BarStrip[] = []
  for (let start = 0; start < scores.length; start++) {
    if (seen[start] === 1 || (scores[start] ?? 0) < least) continue
    const strip = toStrip(connected(start, columns, scores, least, seen), columns, scores)
    if (strip.right - strip.left >= MIN_CELLS_WIDE * CELL_WIDTH) strips.push(strip)
  }
  return strips.toSorted((a, b) => b.score - a.score).slice(0, most)
}

/**
 * Returns the start cell and all connected cells with a score of at least `least`. Two cells of the same band (group of rows) also count as
 * connected if one weaker cell lies between them. Marks the returned cells in `seen`.
 */
function connected(start: number, columns: number, scores: Float64Array, least: number, seen: Uint8Array): number[] {
  const cells = [start]
  seen[start] = 1
  for (const cell of cells) {
    const column = cell % columns
    for (const [right, down] of [[1, 0], [2, 0], [-1, 0], [-2, 0], [0, 1], [0, -1]] as const) {
      const next = cell + right + down * columns
      if (column + right < 0 || column + right >= columns || next < 0 || next >= scores.length) continue
      if (seen[next] === 1 || (scores[next] ?? 0) < least) continue
      seen[next] = 1
      cells.push(next)
    }
  }
  return cells
}

function toStrip(cells: readonly number[], columns: number, scores: Float64Array): BarStrip {
  const byBand = new Map<number, number>()
  let [left, right, score] = [columns, 0, 0]
  for (const cell of cells) {
    const band = Math.floor(cell / columns)
    byBand.set(band, (byBand.get(band) ?? 0) + (scores[cell] ?? 0))
    left = Math.min(left, cell % columns)
    right = Math.max(right, (cell % columns) + 1)
    score += scores[cell] ?? 0
  }
  const [[bestBand] = [0]] = [...byBand].toSorted(([, one], [, other]) => other - one)
  const found = [...byBand.keys()]
  return { left: left * CELL_WIDTH, right: right * CELL_WIDTH, firstBand: Math.min(...found), lastBand: Math.max(...found) + 1, bestBand, score }
}
