/** A picture in shades of grey, one byte a pixel, row by row. */
export interface Gray {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** A picture as canvases and the engine have it, four bytes a pixel. */
export interface Rgba {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

export interface Point {
  x: number
  y: number
}

export const blank = (width: number, height: number): Gray => ({ width, height, data: new Uint8Array(width * height) })

/** The shades of a picture, weighted as the eye does. */
export function grayOf({ width, height, data }: Rgba): Gray {
  const gray = blank(width, height)
  const target = gray.data
  const pixels = new Uint32Array(data.buffer, data.byteOffset, target.length)
  for (let index = 0; index < target.length; index++) {
    const pixel = pixels[index] as number
    target[index] = ((pixel & 0xff) * 77 + ((pixel >> 8) & 0xff) * 150 + ((pixel >> 16) & 0xff) * 29) >> 8
  }
  return gray
}

/** The picture as a file of the simplest kind: the engine takes one byte a pixel of it, and four of anything else. */
export function fileOf({ width, height, data }: Gray): Uint8Array {
  const head = new TextEncoder().encode(`P5 ${width} ${height} 255\n`)
  const file = new Uint8Array(head.length + data.length)
  file.set(head)
  file.set(data, head.length)
  return file
}

/** A pixel that is known to be there. Of bytes only: with arrays of several kinds it would be slow for all of them. */
export const at = (data: Uint8Array, index: number): number => data[index] as number

/** The part of a picture that starts at a corner, as far as the picture goes. */
export function cut({ width, height, data }: Gray, left: number, top: number, wide: number, high: number): Gray {
  const part = blank(Math.min(wide, width - left), Math.min(high, height - top))
  for (let y = 0; y < part.height; y++) {
    const from = (top + y) * width + left
    part.data.set(data.subarray(from, from + part.width), y * part.width)
  }
  return part
}

/** A picture of half the size, each pixel the mean of four. */
export function halved({ width, height, data }: Gray): Gray {
  const small = blank(width >> 1, height >> 1)
  for (let y = 0, to = 0; y < small.height; y++) {
    for (let x = 0, from = 2 * y * width; x < small.width; x++, from += 2, to++) {
      small.data[to] = (at(data, from) + at(data, from + 1) + at(data, from + width) + at(data, from + width + 1) + 2) >> 2
    }
  }
  return small
}

/** A picture of half the size, each pixel the mean of the blurred four: the same as blurring by 1 before, in one go. */
export function softened({ width, height, data }: Gray): Gray {
  const small = blank(width >> 1, height >> 1)
  const sums = new Uint16Array(width + 2) // of four rows, with one more column at each end
  const row = (y: number) => Math.max(0, Math.min(height - 1, y)) * width
  for (let y = 0, to = 0; y < small.height; y++) {
    const [above, upper, lower, below] = [row(2 * y - 1), row(2 * y), row(2 * y + 1), row(2 * y + 2)]
    for (let x = 0; x < width; x++) sums[x + 1] = at(data, above + x) + 2 * (at(data, upper + x) + at(data, lower + x)) + at(data, below + x)
    sums[0] = sums[1] as number
    sums[width + 1] = sums[width] as number
    for (let x = 0, from = 0; x < small.width; x++, from += 2, to++) {
      small.data[to] = ((sums[from] as number) + 2 * ((sums[from + 1] as number) + (sums[from + 2] as number)) + (sums[from + 3] as number)) / 36
    }
  }
  return small
}

/** The picture at another size: halved while it is too large by far, then by interpolation. */
export function scaled(picture: Gray, factor: number): Gray {
  if (factor === 1) return picture
  if (factor <= 0.5) return scaled(halved(picture), factor * 2)
  const width = Math.max(1, Math.round(picture.width * factor))
  const height = Math.max(1, Math.round(picture.height * factor))
  return sampled(picture, width, height, { x: 0, y: 0, xx: 1 / factor, xy: 0, yx: 0, yy: 1 / factor })
}

/** From a place of one picture to a place of another: x' = x + xx·u + xy·v, y' = y + yx·u + yy·v. */
export interface Mapping {
  x: number
  y: number
  xx: number
  xy: number
  yx: number
  yy: number
}

export const mapped = ({ x, y, xx, xy, yx, yy }: Mapping, { x: u, y: v }: Point): Point => ({ x: x + xx * u + xy * v, y: y + yx * u + yy * v })

const OUTSIDE = 128
const ONE = 1 << 8

/** A picture whose pixels are looked up in another one, between its pixels; outside of it all is grey. */
export function sampled({ width, height, data }: Gray, wide: number, high: number, { x, y, xx, xy, yx, yy }: Mapping): Gray {
  const result = blank(wide, high)
  const target = result.data
  for (let v = 0, to = 0; v < high; v++) {
    let px = x + xy * v
    let py = y + yy * v
    for (let u = 0; u < wide; u++, to++, px += xx, py += yx) {
      if (px < 0 || py < 0 || px >= width || py >= height) {
        target[to] = OUTSIDE
        continue
      }
      const left = px | 0
      const top = py | 0
      const right = left + 1 < width ? 1 : 0
      const below = top + 1 < height ? width : 0
      const fx = ((px - left) * ONE) | 0
      const fy = ((py - top) * ONE) | 0
      const from = top * width + left
      const upper = at(data, from) * (ONE - fx) + at(data, from + right) * fx
      const lower = at(data, from + below) * (ONE - fx) + at(data, from + below + right) * fx
      target[to] = (upper * (ONE - fy) + lower * fy) >> 16
    }
  }
  return result
}

/** The picture turned by an angle around its middle, cut to a size, and how its places map back. */
export function turned(picture: Gray, angle: number, wide = picture.width, high = picture.height, factor = 1): { picture: Gray; back: Mapping } {
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
  return { picture: sampled(picture, wide, high, back), back }
}

/** The mean of the square of pixels around each pixel, by sums that run along rows and columns. */
export function blurred({ width, height, data }: Gray, radius: number): Gray {
  return downwards(across({ width, height, data }, radius), radius)
}

function across({ width, height, data }: Gray, radius: number): Gray {
  const result = blank(width, height)
  for (let y = 0; y < height; y++) runningMean(data, result.data, y * width, 1, width, radius)
  return result
}

function downwards({ width, height, data }: Gray, radius: number): Gray {
  const result = blank(width, height)
  for (let x = 0; x < width; x++) runningMean(data, result.data, x, width, height, radius)
  return result
}

function runningMean(from: Uint8Array, to: Uint8Array, start: number, step: number, count: number, radius: number): void {
  const size = 2 * radius + 1
  const last = start + (count - 1) * step
  const clamp = (index: number) => Math.max(0, Math.min(count - 1, index))
  let sum = 0
  for (let index = -radius; index <= radius; index++) sum += at(from, start + clamp(index) * step)
  for (let index = 0, place = start; index < count; index++, place += step) {
    to[place] = sum / size
    const entering = place + (radius + 1) * step
    const leaving = place - radius * step
    sum += at(from, entering > last ? last : entering) - at(from, leaving < start ? start : leaving)
  }
}

/**
 * Upright stripes made clear: rows are averaged over their neighbours above and below, which takes noise away and
 * leaves bars as they are, then edges are raised along the rows if asked for, and contrast is made even.
 */
export function clearStripes(picture: Gray, rows: number, strength = 0): Gray {
  const steady = downwards(picture, rows)
  return evened(strength === 0 ? steady : raised(steady, 2, strength))
}

/** Sharper edges along the rows: the difference from the blurred rows is added, times a strength. */
function raised(picture: Gray, radius: number, strength: number): Gray {
  const soft = across(across(picture, radius), radius).data
  const result = blank(picture.width, picture.height)
  const { data } = picture
  for (let index = 0; index < data.length; index++) {
    const value = at(data, index) + strength * (at(data, index) - at(soft, index))
    result.data[index] = value < 0 ? 0 : value > 255 ? 255 : value
  }
  return result
}

const FAINTEST = 3
/** Surroundings by which a pixel is measured, as a part of the picture's width. */
const REACH = 20

/** The same contrast everywhere: shadows and glare go, each pixel is measured by its surroundings. */
export function evened(picture: Gray): Gray {
  const { data } = picture
  const radius = Math.max(8, Math.round(picture.width / REACH))
  const mean = blurred(picture, radius).data
  const away = blank(picture.width, picture.height)
  for (let index = 0; index < data.length; index++) away.data[index] = Math.abs(at(data, index) - at(mean, index))
  const spread = blurred(away, radius).data
  const result = blank(picture.width, picture.height)
  for (let index = 0; index < data.length; index++) {
    const value = 128 + (60 * (at(data, index) - at(mean, index))) / Math.max(FAINTEST, at(spread, index))
    result.data[index] = value < 0 ? 0 : value > 255 ? 255 : value
  }
  return result
}
