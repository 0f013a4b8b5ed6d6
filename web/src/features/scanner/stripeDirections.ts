import { getPixelAt, blurAndDownsampleByTwo, type GrayPicture } from './pixels'

const BLOCK = 12
const BINS = 90
const APART = Math.PI / 12
/** Minimum share of the total weight in the histogram of directions at which a direction is reported. */
const MIN_WEIGHT_SHARE = 0.06

/**
 * Finds up to `most` directions across barcode stripes, strongest first. A direction is an angle from the x axis in radians, in (-π/2,
 * π/2]. Recognizes bars by the brightness gradients in each block of a half-size copy of the picture. Bars have many edges in one
 * direction: as many from dark to light as from light to dark. An object's outline has edges of only one of these kinds, and printed text
 * has edges in all directions.
 */
export function findStripeDirections(picture: GrayPicture, most = 2): number[] {
  const histogram = buildDirectionHistogram(blurAndDownsampleByTwo(picture))
  const total = histogram.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return []
  const found: number[] = []
  for (let tries = 0; tries < most; tries++) {
    const peak = findHistogramPeak(histogram)
    if (peak.weight < MIN_WEIGHT_SHARE * total) break
    found.push(peak.angle)
    clear(histogram, peak.angle)
  }
  return found
}

/** Builds a histogram of stripe directions over 180°. Each bin states how strongly the picture shows stripes in one direction. */
function buildDirectionHistogram({ width, height, data }: GrayPicture): Float64Array {
  const histogram = new Float64Array(BINS)
  for (let top = 1; top + BLOCK < height; top += BLOCK) {
    for (let left = 1; left + BLOCK < width; left += BLOCK) {
      if (hasLowContrast(data, top * width + left, width)) continue
      let xx = 0
      let yy = 0
      let xy = 0
      let sx = 0
      let sy = 0
      for (let y = top; y < top + BLOCK; y++) {
        for (let x = left, place = y * width + left; x < left + BLOCK; x++, place++) {
          const falling = getPixelAt(data, place + width + 1) - getPixelAt(data, place - width - 1)
          const rising = getPixelAt(data, place - width + 1) - getPixelAt(data, place + width - 1)
          const dx = 3 * (falling + rising) + 10 * (getPixelAt(data, place + 1) - getPixelAt(data, place - 1))
          const dy = 3 * (falling - rising) + 10 * (getPixelAt(data, place + width) - getPixelAt(data, place - width))
          xx += dx * dx
          yy += dy * dy
          xy += dx * dy
          sx += dx
          sy += dy
        }
      }
      vote(histogram, { xx, yy, xy, sx, sy })
    }
  }
  return histogram
}

const COARSE = 3
/**
 * Minimum contrast of a block: sum of the differences between neighbouring pixels at a few sample points. Blocks with less contrast are
 * skipped.
 */
const MIN_BLOCK_CONTRAST = 40

/** Returns whether a block has too little contrast to contain bars. This check is fast, and most blocks of paint and tarmac need no other check. */
function hasLowContrast(data: Uint8Array, start: number, width: number): boolean {
  let sum = 0
  for (let y = 1; y < BLOCK; y += COARSE) {
    for (let place = start + y * width + 1; place < start + y * width + BLOCK; place += COARSE) {
      sum += Math.abs(getPixelAt(data, place + 1) - getPixelAt(data, place - 1)) + Math.abs(getPixelAt(data, place + width) - getPixelAt(data, place - width))
    }
  }
  return sum < MIN_BLOCK_CONTRAST
}

interface Tensor {
  xx: number
  yy: number
  xy: number
  sx: number
  sy: number
}
/** Minimum mean squared gradient of a block. Blocks below this minimum count as noise. */
const MIN_BLOCK_ENERGY = 2000

function vote(histogram: Float64Array, { xx, yy, xy, sx, sy }: Tensor): void {
  const energy = xx + yy
  const pixels = BLOCK * BLOCK
  if (energy < MIN_BLOCK_ENERGY * pixels) return
  const coherence = Math.hypot(xx - yy, 2 * xy) / energy
  const balance = 1 - (sx * sx + sy * sy) / (pixels * energy)
  const weight = Math.sqrt(energy) * coherence ** 4 * balance * balance
  const place = (((0.5 * Math.atan2(2 * xy, xx - yy)) / Math.PI + 1) % 1) * BINS
  const bin = Math.floor(place)
  const part = place - bin
  histogram[bin % BINS] = (histogram[bin % BINS] ?? 0) + weight * (1 - part)
  histogram[(bin + 1) % BINS] = (histogram[(bin + 1) % BINS] ?? 0) + weight * part
}

const REACH = 2

/** Returns the peak of the histogram; its angle is the weighted mean of the surrounding bins. */
function findHistogramPeak(histogram: Float64Array): { angle: number; weight: number } {
  const around = (bin: number) => {
    let weight = 0
    let moment = 0
    for (let step = -REACH; step <= REACH; step++) {
      const value = histogram[(bin + step + BINS) % BINS] ?? 0
      weight += value
      moment += value * step
    }
    return { weight, bin: bin + (weight === 0 ? 0 : moment / weight) }
  }
  let best = around(0)
  for (let bin = 1; bin < BINS; bin++) {
    const here = around(bin)
    if (here.weight > best.weight) best = here
  }
  return { angle: signed((best.bin * Math.PI) / BINS), weight: best.weight }
}

const signed = (angle: number): number => (angle > Math.PI / 2 ? angle - Math.PI : angle)

function clear(histogram: Float64Array, angle: number): void {
  for (let bin = 0; bin < BINS; bin++) if (getAngleBetweenDirections((bin * Math.PI) / BINS, angle) < APART) histogram[bin] = 0
}

/** Returns the angle between two directions, from 0 to π/2 radians. Opposite directions count as equal. */
export function getAngleBetweenDirections(one: number, other: number): number {
  const difference = Math.abs(one - other) % Math.PI
  return Math.min(difference, Math.PI - difference)
}

/** Returns the angle between a direction and the nearest image axis in radians. ZXing scans along the axes. */
export const getTiltFromImageAxis = (angle: number): number => Math.min(getAngleBetweenDirections(angle, 0), getAngleBetweenDirections(angle, Math.PI / 2))
