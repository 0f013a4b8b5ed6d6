import { BAND_HEIGHT_PX, type RowBands, type BarStrip } from './barStrips'

/** Mean brightness along a line across bars, one value per pixel. */
export interface BrightnessProfile {
  values: Float64Array
  /** Column at which the profile begins, in the picture rotated so that the bars are vertical. */
  left: number
  /** Range of the profile that contains bars, in pixels from the start of the profile. */
  bars: { begin: number; end: number }
  /** First row of the rotated picture that is averaged into the profile. */
  top: number
  /** Row after the last row of the rotated picture that is averaged into the profile. */
  bottom: number
}

/** Maximum sideways shift in pixels from one band (group of rows) to the next, for bars that are not exactly vertical. */
const MAX_SHIFT = 2
const STEP = 0.25
/**
 * Minimum correlation of a band (group of rows) with the bars found so far. The minimum is `LEAST`, or `SAME` times the best correlation so
 * far if that product is larger. The profile ends before the first band below the minimum.
 */
const [LEAST, SAME] = [0.2, 0.6]
/** Width in pixels of the margin (quiet zone) on each side of the bars in a profile; `MARGIN_SHARE` of the bars' width is added. */
const MARGIN = 40
const MARGIN_SHARE = 0.1

/**
 * Averages the bands (groups of rows) of a region into a brightness profile. Aligns the bars of the bands, and stops in both directions at
 * the first band without bars.
 */
export function createBrightnessProfile({ means, width, count }: RowBands, strip: BarStrip): BrightnessProfile {
  const margin = MARGIN + Math.round((strip.right - strip.left) * MARGIN_SHARE)
  const left = Math.max(0, strip.left - margin)
  const right = Math.min(width, strip.right + margin)
  const total = (means[strip.bestBand] ?? new Float64Array(width)).slice(left, right)
  let added = 1
  let best = LEAST / SAME
  const ends = [1, -1].map((step) => {
    let shift = 0
    let drift = 0
    let band = strip.bestBand + step
    for (; band >= Math.max(0, strip.firstBand) && band <= Math.min(count - 1, strip.lastBand); band += step) {
      const next = means[band]
      if (next === undefined) break
      const fit = bestShift(total, next, left, shift + drift)
      if (fit.correlation < SAME * best) break
      best = Math.max(best, fit.correlation)
      drift = 0.8 * drift + 0.2 * (fit.shift - shift)
      shift = fit.shift
      for (let index = 0; index < total.length; index++) total[index] = (total[index] ?? 0) + interpolateBrightness(next, left + index + shift)
      added++
    }
    return band
  })
  return { values: total.map((sum) => sum / added), left, bars: { begin: strip.left - left, end: strip.right - left }, top: (Math.min(...ends) + 1) * BAND_HEIGHT_PX, bottom: Math.max(...ends) * BAND_HEIGHT_PX }
}

/** Returns the linearly interpolated value at a fractional index. Beyond an end, returns the value at that end. */
export function interpolateBrightness(values: Float64Array, place: number): number {
  if (place <= 0) return values[0] ?? 0
  if (place >= values.length - 1) return values[values.length - 1] ?? 0
  const index = Math.floor(place)
  const low = values[index] ?? 0
  return low + ((values[index + 1] ?? 0) - low) * (place - index)
}

/**
 * Finds the sideways shift, near the expected shift, at which a band (group of rows) correlates best with `total`. Compares the slopes of
 * the brightness. `total` is the sum of the bands added so far.
 */
function bestShift(total: Float64Array, band: Float64Array, left: number, expected: number): { shift: number; correlation: number } {
  let best = { shift: expected, correlation: -1 }
  const coarse = correlate(total, band, left, expected)
  best = { shift: expected, correlation: coarse }
  for (const step of [4 * STEP, STEP]) {
    for (const direction of [-1, 1]) {
      for (let shift = best.shift + direction * step; Math.abs(shift - expected) <= MAX_SHIFT; shift += direction * step) {
        const correlation = correlate(total, band, left, shift)
        if (correlation <= best.correlation) break
        best = { shift, correlation }
      }
    }
  }
  return best
}

function correlate(total: Float64Array, band: Float64Array, left: number, shift: number): number {
  let [tt, bb, tb] = [0, 0, 0]
  let before = interpolateBrightness(band, left + shift)
  for (let index = 2; index < total.length; index += 2) {
    const here = interpolateBrightness(band, left + index + shift)
    const slope = (total[index] ?? 0) - (total[index - 2] ?? 0)
    tt += slope * slope
    bb += (here - before) ** 2
    tb += slope * (here - before)
    before = here
  }
  return tb / Math.sqrt(tt * bb || 1)
}
