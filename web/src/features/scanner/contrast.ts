import { blurRows, blurPicture, createBlankPicture, blurColumns, readInt, readPixel, type GrayPicture } from './pixels'

/**
 * Enhances upright bars: averages neighbouring rows, which removes noise and keeps the bars, optionally sharpens edges
 * along the rows, and equalizes the contrast.
 */
export function enhanceStripes(picture: GrayPicture, rows: number, strength = 0): GrayPicture {
  const steady = blurColumns(picture, rows)
  return normalizeContrast(strength === 0 ? steady : raised(steady, 2, strength))
}

/** Sharpens edges along the rows by unsharp masking with the given strength. */
function raised(picture: GrayPicture, radius: number, strength: number): GrayPicture {
  const soft = blurRows(blurRows(picture, radius), radius).data
  const result = createBlankPicture(picture.width, picture.height)
  const { data } = picture
  for (let index = 0; index < data.length; index++) {
    const value = readPixel(data, index) + strength * (readPixel(data, index) - readPixel(soft, index))
    result.data[index] = value < 0 ? 0 : value > 255 ? 255 : value
  }
  return result
}

/** Inverts a picture, so that light bars on a dark ground become dark bars on a light ground. */
export function invertPicture({ width, height, data }: GrayPicture): GrayPicture {
  const result = createBlankPicture(width, height)
  for (let index = 0; index < data.length; index++) result.data[index] = 255 - readPixel(data, index)
  return result
}

const FAINTEST = 5
/** The radius of a pixel's neighbourhood in `normalizeContrast` is the picture's width divided by this number. */
const REACH = 20
/** Side of the cells in which `normalizeContrast` measures brightness and contrast. The loops below spell out its four pixels. */
const CELL = 4
const CONTRAST = 60

/** Returns the mean of each cell of a picture. Pixels beyond the last full cell are left out. */
function averageCells({ width, height, data }: GrayPicture): GrayPicture {
  const cells = createBlankPicture(Math.max(1, Math.floor(width / CELL)), Math.max(1, Math.floor(height / CELL)))
  const sums = new Int32Array(cells.width)
  for (let row = 0, to = 0; row < cells.height; row++) {
    sums.fill(0)
    for (let y = row * CELL; y < (row + 1) * CELL; y++) {
      for (let cell = 0, place = y * width; cell < cells.width; cell++, place += CELL) {
        sums[cell] = readInt(sums, cell) + readPixel(data, place) + readPixel(data, place + 1) + readPixel(data, place + 2) + readPixel(data, place + 3)
      }
    }
    for (let cell = 0; cell < cells.width; cell++, to++) cells.data[to] = readInt(sums, cell) >> 4
  }
  return cells
}

/** Returns the mean difference of the pixels of each cell from the shade of the cell. */
function averageContrast({ width, data }: GrayPicture, shades: GrayPicture): GrayPicture {
  const cells = createBlankPicture(shades.width, shades.height)
  const sums = new Int32Array(cells.width)
  for (let row = 0, to = 0; row < cells.height; row++) {
    sums.fill(0)
    for (let y = row * CELL; y < (row + 1) * CELL; y++) {
      for (let cell = 0, place = y * width; cell < cells.width; cell++, place += CELL) {
        const shade = readPixel(shades.data, to + cell)
        const pair = Math.abs(readPixel(data, place) - shade) + Math.abs(readPixel(data, place + 1) - shade)
        sums[cell] = readInt(sums, cell) + pair + Math.abs(readPixel(data, place + 2) - shade) + Math.abs(readPixel(data, place + 3) - shade)
      }
    }
    for (let cell = 0; cell < cells.width; cell++, to++) cells.data[to] = readInt(sums, cell) >> 4
  }
  return cells
}

/** Normalizes the local contrast: compares each pixel with its neighbourhood, which removes shadows and glare. */
export function normalizeContrast(picture: GrayPicture): GrayPicture {
  const { width, height, data } = picture
  const radius = Math.max(2, Math.round(width / REACH / CELL))
  const mean = blurPicture(averageCells(picture), radius)
  const spread = blurPicture(averageContrast(picture, mean), radius)
  const result = createBlankPicture(width, height)
  for (let y = 0, place = 0; y < height; y++) {
    const first = Math.min(Math.floor(y / CELL), mean.height - 1) * mean.width
    for (let left = 0; left < width; left += CELL) {
      const cell = first + Math.min(left / CELL, mean.width - 1)
      const shade = readPixel(mean.data, cell)
      const gain = Math.round((CONTRAST << 8) / Math.max(FAINTEST, readPixel(spread.data, cell)))
      for (const end = place + Math.min(CELL, width - left); place < end; place++) {
        const value = 128 + ((gain * (readPixel(data, place) - shade)) >> 8)
        result.data[place] = value < 0 ? 0 : value > 255 ? 255 : value
      }
    }
  }
  return result
}
