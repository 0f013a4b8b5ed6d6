import { at, softened, type Gray } from './pixels'

const BLOCK = 12
const BINS = 90
const APART = Math.PI / 12
/** A direction that holds less than this part of all that was seen is not one. */
const SHARE = 0.06

/**
 * The directions across the stripes of a picture, the strongest first, as angles from the x axis in (-90°, 90°].
 *
 * The gradients of a small copy are gathered in blocks. Bars have many edges, all in one direction and as many
 * upward as downward; an outline has edges of one kind, and print has them in all directions.
 */
export function stripeDirections(picture: Gray, most = 2): number[] {
  const histogram = gather(softened(picture))
  const total = histogram.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return []
  const found: number[] = []
  for (let tries = 0; tries < most; tries++) {
    const peak = strongest(histogram)
    if (peak.weight < SHARE * total) break
    found.push(peak.angle)
    clear(histogram, peak.angle)
  }
  return found
}

/** How much there is of stripes in each direction, over half a turn. */
function gather({ width, height, data }: Gray): Float64Array {
  const histogram = new Float64Array(BINS)
  for (let top = 1; top + BLOCK < height; top += BLOCK) {
    for (let left = 1; left + BLOCK < width; left += BLOCK) {
      if (isPlain(data, top * width + left, width)) continue
      let xx = 0
      let yy = 0
      let xy = 0
      let sx = 0
      let sy = 0
      for (let y = top; y < top + BLOCK; y++) {
        for (let x = left, place = y * width + left; x < left + BLOCK; x++, place++) {
          const falling = at(data, place + width + 1) - at(data, place - width - 1)
          const rising = at(data, place - width + 1) - at(data, place + width - 1)
          const dx = 3 * (falling + rising) + 10 * (at(data, place + 1) - at(data, place - 1))
          const dy = 3 * (falling - rising) + 10 * (at(data, place + width) - at(data, place - width))
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
/** The difference of neighbours that a few places of a block have to have together, for it to be looked at closely. */
const NOTICED = 40

/** Whether there is so little in a block that it will not have a vote: most of what a camera sees is paint and tar. */
function isPlain(data: Uint8Array, start: number, width: number): boolean {
  let sum = 0
  for (let y = 1; y < BLOCK; y += COARSE) {
    for (let place = start + y * width + 1; place < start + y * width + BLOCK; place += COARSE) {
      sum += Math.abs(at(data, place + 1) - at(data, place - 1)) + Math.abs(at(data, place + width) - at(data, place - width))
    }
  }
  return sum < NOTICED
}

interface Tensor {
  xx: number
  yy: number
  xy: number
  sx: number
  sy: number
}
/** A block whose edges are weaker than this is noise. */
const WEAKEST = 2000

function vote(histogram: Float64Array, { xx, yy, xy, sx, sy }: Tensor): void {
  const energy = xx + yy
  const pixels = BLOCK * BLOCK
  if (energy < WEAKEST * pixels) return
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

/** The peak of the histogram, its angle taken as the mean of the bins around it. */
function strongest(histogram: Float64Array): { angle: number; weight: number } {
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
  for (let bin = 0; bin < BINS; bin++) if (apart((bin * Math.PI) / BINS, angle) < APART) histogram[bin] = 0
}

/** How far two directions are apart, at most a quarter turn. */
export function apart(one: number, other: number): number {
  const difference = Math.abs(one - other) % Math.PI
  return Math.min(difference, Math.PI - difference)
}

/** How far a direction is from the rows and columns that the engine looks along. */
export const tilt = (angle: number): number => Math.min(apart(angle, 0), apart(angle, Math.PI / 2))
