import { blurHorizontally, blurPicture, createBlankPicture, blurVertically, getInt32At, getPixelAt, type GrayPicture } from './pixels'

/** Enhances vertical bars: averages neighbouring rows to remove noise, optionally sharpens along rows, and normalizes local contrast. */
export function enhanceBars(picture: GrayPicture, rows: number, strength = 0): GrayPicture {
  const steady = blurVertically(picture, rows)
  return normalizeContrast(strength === 0 ? steady : raised(steady, 2, strength))
}

/** Sharpens edges along the rows by unsharp masking with the given strength. */
function raised(picture: GrayPicture, radius: number, strength: number): GrayPicture {
  const soft = blurHorizontally(blurHorizontally(picture, radius), radius).data
  const result = createBlankPicture(picture.width, picture.height)
  const { data } = picture
  for (let index = 0; index < data.length; index++) {
    const value = getPixelAt(data, index) + strength * (getPixelAt(data, index) - getPixelAt(soft, index))
    result.data[index] = value < 0 ? 0 : value > 255 ? 255 : value
  }
  return result
}

/** Inverts a picture, so that light bars on a dark ground become dark bars on a light ground. */
export function invertPicture({ width, height, data }: GrayPicture): GrayPicture {
  const result = createBlankPicture(width, height)
  for (let index = 0; index < data.length; index++) result.data[index] = 255 - getPixelAt(data, index)
  return result
}

const FAINTEST = 5
/** Ratio of a picture's width to the radius of the neighbourhood with which `normalizeContrast` compares each pixel. */
const RADIUS_DIVISOR = 20
/**
 * Side in pixels of the cells in which `normalizeContrast` measures brightness and contrast. The loops below are unrolled for the four
 * pixels of a cell row.
 */
const CELL_SIDE = 4
const CONTRAST = 60

/**
 * Returns the mean brightness of each cell of `CELL_SIDE` × `CELL_SIDE` pixels, as a picture with one pixel per cell. Pixels beyond the
 * last full cell are left out.
 */
function averageCells({ width, height, data }: GrayPicture): GrayPicture {
  const cells = createBlankPicture(Math.max(1, Math.floor(width / CELL_SIDE)), Math.max(1, Math.floor(height / CELL_SIDE)))
  const sums = new Int32Array(cells.width)
  for (let row = 0, to = 0; row < cells.height; row++) {
    sums.fill(0)
    for (let y = row * CELL_SIDE; y < (row + 1) * CELL_SIDE; y++) {
      for (let cell = 0, place = y * width; cell < cells.width; cell++, place += CELL_SIDE) {
        sums[cell] = getInt32At(sums, cell) + getPixelAt(data, place) + getPixelAt(data, place + 1) + getPixelAt(data, place + 2) + getPixelAt(data, place + 3)
      }
    }
    for (let cell = 0; cell < cells.width; cell++, to++) cells.data[to] = getInt32At(sums, cell) >> 4
  }
  return cells
}

/** Returns the contrast of each cell: the mean difference between its pixels and its mean brightness. `shades` contains the mean brightness of the cells. */
function averageContrast({ width, data }: GrayPicture, shades: GrayPicture): GrayPicture {
  const cells = createBlankPicture(shades.width, shades.height)
  const sums = new Int32Array(cells.width)
  for (let row = 0, to = 0; row < cells.height; row++) {
    sums.fill(0)
    for (let y = row * CELL_SIDE; y < (row + 1) * CELL_SIDE; y++) {
      for (let cell = 0, place = y * width; cell < cells.width; cell++, place += CELL_SIDE) {
        const shade = getPixelAt(shades.data, to + cell)
        const pair = Math.abs(getPixelAt(data, place) - shade) + Math.abs(getPixelAt(data, place + 1) - shade)
        sums[cell] = getInt32At(sums, cell) + pair + Math.abs(getPixelAt(data, place + 2) - shade) + Math.abs(getPixelAt(data, place + 3) - shade)
      }
    }
    for (let cell = 0; cell < cells.width; cell++, to++) cells.data[to] = getInt32At(sums, cell) >> 4
  }
  return cells
}

/** Normalizes the local contrast: compares each pixel with its neighbourhood, which removes shadows and glare. */
export function normalizeContrast(picture: GrayPicture): GrayPicture {
  const { width, height, data } = picture
  const radius = Math.max(2, Math.round(width / RADIUS_DIVISOR / CELL_SIDE))
  const mean = blurPicture(averageCells(picture), radius)
  const spread = blurPicture(averageContrast(picture, mean), radius)
  const result = createBlankPicture(width, height)
  for (let y = 0, place = 0; y < height; y++) {
    const first = Math.min(Math.floor(y / CELL_SIDE), mean.height - 1) * mean.width
    for (let left = 0; left < width; left += CELL_SIDE) {
      const cell = first + Math.min(left / CELL_SIDE, mean.width - 1)
      const shade = getPixelAt(mean.data, cell)
      const gain = Math.round((CONTRAST << 8) / Math.max(FAINTEST, getPixelAt(spread.data, cell)))
      for (const end = place + Math.min(CELL_SIDE, width - left); place < end; place++) {
        const value = 128 + ((gain * (getPixelAt(data, place) - shade)) >> 8)
        result.data[place] = value < 0 ? 0 : value > 255 ? 255 : value
      }
    }
  }
  return result
}
