/** Greyscale picture, one byte per pixel, row by row. */
export interface GrayPicture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** RGBA picture, four bytes per pixel, as in canvas `ImageData`. */
export interface RgbaPicture {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray<ArrayBuffer>
}

export interface Point {
  x: number
  y: number
}

export const createBlankPicture = (width: number, height: number): GrayPicture => ({ width, height, data: new Uint8Array(width * height) })

/** Converts a picture to greyscale with perceptual luminance weights. */
export function toGrayscale({ width, height, data }: RgbaPicture): GrayPicture {
  const gray = createBlankPicture(width, height)
  const target = gray.data
  const pixels = new Int32Array(data.buffer, data.byteOffset, target.length)
  for (let index = 0; index < target.length; index++) {
    const pixel = getInt32At(pixels, index)
    target[index] = ((pixel & 0xff) * 77 + ((pixel >> 8) & 0xff) * 150 + ((pixel >> 16) & 0xff) * 29) >> 8
  }
  return gray
}

/**
 * Encodes a picture as a PGM file (greyscale image) for ZXing. PGM has one byte per pixel, a quarter of the RGBA data that ZXing also
 * accepts.
 */
export function encodePgm({ width, height, data }: GrayPicture): Uint8Array {
  const head = new TextEncoder().encode(`P5 ${width} ${height} 255\n`)
  const file = new Uint8Array(head.length + data.length)
  file.set(head)
  file.set(data, head.length)
  return file
}

/** Returns the pixel at an index known to exist. Accepts only byte arrays, because mixed array types would slow down every call. */
export const getPixelAt = (data: Uint8Array, index: number): number => data[index] as number
/** Returns the integer at an index known to exist. Accepts only `Int32Array`, because mixed array types would slow down every call. */
export const getInt32At = (values: Int32Array, index: number): number => values[index] as number

/** Crops a picture to a rectangle, clamped to the picture's edges. */
export function cropPicture({ width, height, data }: GrayPicture, left: number, top: number, wide: number, high: number): GrayPicture {
  const part = createBlankPicture(Math.min(wide, width - left), Math.min(high, height - top))
  for (let y = 0; y < part.height; y++) {
    const from = (top + y) * width + left
    part.data.set(data.subarray(from, from + part.width), y * part.width)
  }
  return part
}

/** Halves the width and height of a picture. Each new pixel is the mean of four original pixels. */
export function downsampleByTwo({ width, height, data }: GrayPicture): GrayPicture {
  const small = createBlankPicture(width >> 1, height >> 1)
  for (let y = 0, to = 0; y < small.height; y++) {
    for (let x = 0, from = 2 * y * width; x < small.width; x++, from += 2, to++) {
      small.data[to] = (getPixelAt(data, from) + getPixelAt(data, from + 1) + getPixelAt(data, from + width) + getPixelAt(data, from + width + 1) + 2) >> 2
    }
  }
  return small
}

/** Blurs a picture by radius 1 and halves its size in the same loop. */
export function blurAndDownsampleByTwo({ width, height, data }: GrayPicture): GrayPicture {
  const small = createBlankPicture(width >> 1, height >> 1)
  const sums = new Int32Array(width + 2) // column sums of four rows, with one extra column at each end
  const row = (y: number) => Math.max(0, Math.min(height - 1, y)) * width
  for (let y = 0, to = 0; y < small.height; y++) {
    const [above, upper, lower, below] = [row(2 * y - 1), row(2 * y), row(2 * y + 1), row(2 * y + 2)]
    for (let x = 0; x < width; x++) sums[x + 1] = getPixelAt(data, above + x) + 2 * (getPixelAt(data, upper + x) + getPixelAt(data, lower + x)) + getPixelAt(data, below + x)
    sums[0] = getInt32At(sums, 1)
    sums[width + 1] = getInt32At(sums, width)
    for (let x = 0, from = 0; x < small.width; x++, from += 2, to++) {
      small.data[to] = (getInt32At(sums, from) + 2 * (getInt32At(sums, from + 1) + getInt32At(sums, from + 2)) + getInt32At(sums, from + 3)) / 36
    }
  }
  return small
}

/** Resizes a picture by a factor: halves the picture while it is far too large, and then interpolates. */
export function scalePicture(picture: GrayPicture, factor: number): GrayPicture {
  if (factor === 1) return picture
  if (factor <= 0.5) return scalePicture(downsampleByTwo(picture), factor * 2)
  const width = Math.max(1, Math.round(picture.width * factor))
  const height = Math.max(1, Math.round(picture.height * factor))
  return resamplePicture(picture, width, height, { x: 0, y: 0, xx: 1 / factor, xy: 0, yx: 0, yy: 1 / factor })
}

/** Affine mapping between the coordinates of two pictures: x' = x + xx·u + xy·v, y' = y + yx·u + yy·v. */
export interface AffineTransform {
  x: number
  y: number
  xx: number
  xy: number
  yx: number
  yy: number
}

export const mapToSourcePoint = ({ x, y, xx, xy, yx, yy }: AffineTransform, { x: u, y: v }: Point): Point => ({ x: x + xx * u + xy * v, y: y + yx * u + yy * v })

const OUTSIDE = 128
const ONE = 1 << 8
/** Number of fractional bits of coordinates in `sampleInside`. */
const BITS = 16
/**
 * Width in pixels of the margin at the picture's edges that is not sampled, because rounding could move a position there out of the
 * picture.
 */
const EDGE = 0.1

/**
 * Returns the part of the index range `from` to `to` (exclusive) in which the coordinate `start + index * step` lies between `EDGE` and
 * `limit - EDGE`.
 */
function insideRange(start: number, step: number, limit: number, from: number, to: number): [number, number] {
  const [low, high] = [EDGE - start, limit - EDGE - start]
  if (Math.abs(step) < 1e-9) return low <= 0 && high >= 0 ? [from, to] : [from, from]
  const [one, other] = step > 0 ? [low / step, high / step] : [high / step, low / step]
  const first = Math.max(from, Math.ceil(one))
  return [first, Math.max(first, Math.min(to, Math.floor(other) + 1))]
}

/** Samples a picture through a mapping with bilinear interpolation; points outside the picture and on its edges are grey. */
export function resamplePicture(picture: GrayPicture, wide: number, high: number, { x, y, xx, xy, yx, yy }: AffineTransform): GrayPicture {
  const result = createBlankPicture(wide, high)
  result.data.fill(OUTSIDE)
  for (let v = 0; v < high; v++) {
    const [px, py] = [x + xy * v, y + yy * v]
    const [first, last] = insideRange(py, yx, picture.height - 1, ...insideRange(px, xx, picture.width - 1, 0, wide))
    sampleInside(picture, result.data.subarray(v * wide + first, v * wide + last), px + xx * first, py + yx * first, xx, yx)
  }
  return result
}

/**
 * Fills `target`, a part of an output row, with interpolated samples of the source picture, using fixed-point numbers. The first sample is
 * taken at (`px`, `py`) in the source, and (`xx`, `yx`) is the step to the next. All samples must lie inside the source picture.
 */
function sampleInside({ width, data }: GrayPicture, target: Uint8Array, px: number, py: number, xx: number, yx: number): void {
  const [stepX, stepY] = [Math.round(xx * (1 << BITS)), Math.round(yx * (1 << BITS))]
  let placeX = Math.round(px * (1 << BITS))
  let placeY = Math.round(py * (1 << BITS))
  for (let to = 0; to < target.length; to++, placeX += stepX, placeY += stepY) {
    const fx = (placeX >> (BITS - 8)) & (ONE - 1)
    const fy = (placeY >> (BITS - 8)) & (ONE - 1)
    const from = (placeY >> BITS) * width + (placeX >> BITS)
    const upper = getPixelAt(data, from) * (ONE - fx) + getPixelAt(data, from + 1) * fx
    const lower = getPixelAt(data, from + width) * (ONE - fx) + getPixelAt(data, from + width + 1) * fx
    target[to] = (upper * (ONE - fy) + lower * fy) >> 16
  }
}

/**
 * Rotates a picture by `angle` radians around its centre, enlarges it by `factor` and crops it. The mapping `back` converts points of the
 * new picture to points of the original.
 */
export function rotatePicture(picture: GrayPicture, angle: number, wide = picture.width, high = picture.height, factor = 1): { picture: GrayPicture; back: AffineTransform } {
  const cos = Math.cos(angle) / factor
  const sin = Math.sin(angle) / factor
  const back = {
    x: picture.width / 2 - (cos * wide - sin * high) / 2,
    y: picture.height / 2 - (sin * wide + cos * high) / 2,
    xx: cos,
    xy: -sin,
    yx: sin,
    yy: cos,
  }
  return { picture: resamplePicture(picture, wide, high, back), back }
}

/** Blurs a picture with a box blur: each pixel is the mean of the square around it, computed with running sums over rows and columns. */
export const blurPicture = (picture: GrayPicture, radius: number): GrayPicture => blurVertically(blurHorizontally(picture, radius), radius)

/**
 * Returns the reciprocal of the window size, 1 / (2 * radius + 1), as a fixed-point number with 16 fraction bits. The mean is then `(sum *
 * factor) >> 16`, because multiplying is faster than dividing.
 */
const fixedPointReciprocal = (radius: number): number => Math.floor(0x10000 / (2 * radius + 1)) + 1
/** Returns the index, clamped to the range from 0 to `count` - 1. */
const clampTo = (count: number, index: number): number => Math.max(0, Math.min(count - 1, index))

/** Replaces each pixel by the mean of its neighbours in the same row. */
export function blurHorizontally({ width, height, data }: GrayPicture, radius: number): GrayPicture {
  const result = createBlankPicture(width, height)
  const target = result.data
  const factor = fixedPointReciprocal(radius)
  for (let y = 0, start = 0; y < height; y++, start += width) {
    const last = start + width - 1
    let sum = 0
    for (let index = -radius; index <= radius; index++) sum += getPixelAt(data, start + clampTo(width, index))
    for (let place = start; place <= last; place++) {
      target[place] = (sum * factor) >> 16
      const entering = place + radius + 1
      const leaving = place - radius
      sum += getPixelAt(data, entering > last ? last : entering) - getPixelAt(data, leaving < start ? start : leaving)
    }
  }
  return result
}

/** Replaces each pixel by the mean of its neighbours in the same column. Keeps one running sum per column, so that memory is read row by row. */
export function blurVertically({ width, height, data }: GrayPicture, radius: number): GrayPicture {
  const result = createBlankPicture(width, height)
  const target = result.data
  const factor = fixedPointReciprocal(radius)
  const sums = new Int32Array(width)
  for (let index = -radius; index <= radius; index++) {
    const row = clampTo(height, index) * width
    for (let x = 0; x < width; x++) sums[x] = getInt32At(sums, x) + getPixelAt(data, row + x)
  }
  for (let y = 0, start = 0; y < height; y++, start += width) {
    const entering = clampTo(height, y + radius + 1) * width
    const leaving = clampTo(height, y - radius) * width
    for (let x = 0; x < width; x++) {
      const sum = getInt32At(sums, x)
      target[start + x] = (sum * factor) >> 16
      sums[x] = sum + getPixelAt(data, entering + x) - getPixelAt(data, leaving + x)
    }
  }
  return result
}
