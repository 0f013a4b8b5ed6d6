import { renderBlurredBars, computeDarknessDerivatives, type BarDistortion } from './blurredBars'
import { listBarEdges, type Symbology } from './symbologies'
import type { CodeHypothesis } from './codeHypotheses'

/** Position and appearance of a barcode in a brightness profile. */
export interface CodeFit extends BarDistortion {
  symbology: Symbology
  values: number[]
  /**
   * Coefficients, constant term first, of the polynomial that maps a pixel position to a position in modules (widths of the narrowest bar).
   * The pixel position is scaled to -1 at pixel `first` and 1 at pixel `last`.
   */
  curve: number[]
  first: number
  last: number
}

/** Width in modules of the quiet zone that is compared with the profile on each side of a code. */
const QUIET = 4
/** Half the width in modules of the window in which brightness and contrast are estimated. */
const WINDOW = 9
const [MIN_BLUR, MAX_BLUR] = [0.2, 1.5]
const MAX_SPREAD = 0.5
const [MIN_RATIO, MAX_RATIO] = [1.8, 3.3]

/** Returns the position of each pixel of a code, in modules from the start of the code. */
export function computePixelPositions({ curve, first, last }: CodeFit): Float64Array {
  const half = (last + 1 - first) / 2
  return Float64Array.from({ length: last - first + 1 }, (_, index) => {
    const t = (index + 0.5) / half - 1
    return curve.reduceRight((sum, coefficient) => sum * t + coefficient, 0)
  })
}

/** Returns the initial fit for a candidate code, with its estimated blur and positions and without ink spread. */
export function createInitialFit({ symbology, values, begins, module, blur }: CodeHypothesis, length: number): CodeFit {
  const end = (begins.at(-1) ?? 0) + (symbology.width + symbology.tail) * module
  const first = Math.max(0, Math.floor((begins[0] ?? 0) - QUIET * module))
  const last = Math.min(length - 1, Math.ceil(end + QUIET * module))
  const degree = values.length > 5 ? 3 : values.length > 3 ? 2 : 1
  const half = (last + 1 - first) / 2
  const columns = Array.from({ length: degree + 1 }, (_, power) => begins.map((begin) => ((begin - first) / half - 1) ** power))
  const curve = solveLeastSquares(columns, begins.map((_, place) => place * symbology.width))
  return { symbology, values, curve, first, last, blur, spread: 0 }
}

/**
 * Returns the weights with which the weighted sum of `columns` is closest to `targets` (linear least squares). `damping` keeps the weights
 * small.
 */
export function solveLeastSquares(columns: readonly ArrayLike<number>[], targets: ArrayLike<number>, damping = 1e-9): number[] {
  const size = columns.length
  const matrix = columns.map((column) => Float64Array.from([...columns, targets], (other) => dot(column, other)))
  for (const [i, line] of matrix.entries()) line[i] = (line[i] ?? 0) * (1 + damping) + 1e-12
  for (let pivot = 0; pivot < size; pivot++) {
    const top = matrix[pivot] ?? new Float64Array(0)
    for (const [i, line] of matrix.entries()) {
      if (i === pivot) continue
      const factor = (line[pivot] ?? 0) / (top[pivot] ?? 1)
      for (let j = pivot; j <= size; j++) line[j] = (line[j] ?? 0) - factor * (top[j] ?? 0)
    }
  }
  return matrix.map((line, i) => (line[size] ?? 0) / (line[i] ?? 1))
}

function dot(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}

/**
 * Difference between a measured brightness profile and the simulated brightness of a fitted code. Brightness and contrast are estimated in
 * a window around each pixel.
 */
export interface FitResidual {
  values: Float64Array
  /** Mean square of the differences in `values`. */
  variance: number
  /** Variance of the measured profile. A good fit leaves a `variance` far below this value. */
  energy: number
  contrast: number
  /** Simulated darkness of each pixel. `gains` is the brightness per unit of darkness, `reach` half the window's width in pixels. */
  dark: Float64Array
  gains: Float64Array
  reach: number
}

export function computeFitResidual(profile: Float64Array, fit: CodeFit): FitResidual {
  const places = computePixelPositions(fit)
  const dark = renderBlurredBars(listBarEdges(fit.symbology, fit.values), places, fit)
  const count = places.length
  const reach = Math.max(8, Math.round((WINDOW * count) / Math.max(1, (places[count - 1] ?? 0) - (places[0] ?? 0))))
  const sums = Array.from({ length: 4 }, () => new Float64Array(count + 1))
  const [p = sums[0], d = sums[0], dd = sums[0], pd = sums[0]] = sums
  if (p === undefined || d === undefined || dd === undefined || pd === undefined) throw new Error('no sums')
  const [values, gains] = [new Float64Array(count), new Float64Array(count)]
  let [total, square] = [0, 0]
  for (let i = 0; i < count; i++) {
    const [bright, shade] = [profile[fit.first + i] ?? 0, dark[i] ?? 0]
    p[i + 1] = (p[i] ?? 0) + bright
    d[i + 1] = (d[i] ?? 0) + shade
    dd[i + 1] = (dd[i] ?? 0) + shade * shade
    pd[i + 1] = (pd[i] ?? 0) + bright * shade
    total += bright
    square += bright * bright
  }
  let [variance, contrast] = [0, 0]
  for (let i = 0; i < count; i++) {
    const [from, to] = [Math.max(0, i - reach), Math.min(count, i + reach + 1)]
    const n = to - from
    const [mp, md] = [((p[to] ?? 0) - (p[from] ?? 0)) / n, ((d[to] ?? 0) - (d[from] ?? 0)) / n]
    const slope = ((pd[to] ?? 0) - (pd[from] ?? 0) - n * mp * md) / ((dd[to] ?? 0) - (dd[from] ?? 0) - n * md * md + 1e-6)
    const difference = (profile[fit.first + i] ?? 0) - mp - slope * ((dark[i] ?? 0) - md)
    values[i] = difference
    gains[i] = slope
    variance += difference * difference
    contrast -= slope
  }
  return { values, variance: variance / count, energy: square / count - (total / count) ** 2, contrast: contrast / count, dark, gains, reach }
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

/** Returns a fit with `steps` added to its parameters, in this order: curve coefficients, blur, ink spread, width of wide bars. */
function applySteps(fit: CodeFit, steps: readonly number[]): CodeFit {
  const { curve, symbology } = fit
  const [blur = 0, spread = 0, ratio = 0] = steps.slice(curve.length)
  const wider = ratio === 0 || symbology.withRatio === null ? symbology : symbology.withRatio(clamp(symbology.ratio + ratio, MIN_RATIO, MAX_RATIO))
  return {
    ...fit,
    symbology: wider,
    curve: curve.map((coefficient, power) => (coefficient * wider.width) / symbology.width + (steps[power] ?? 0)),
    blur: clamp(fit.blur + blur, MIN_BLUR, MAX_BLUR),
    spread: clamp(fit.spread + spread, -MAX_SPREAD, MAX_SPREAD),
  }
}

const DIFFERENCE = 0.02
const LARGEST_STEP = 0.6

/**
 * Returns the derivatives of the residual (measured minus simulated brightness) with respect to each fit parameter, in the parameter order
 * of `applySteps`. Brightness and contrast are treated as constant.
 */
function computeSlopes(fit: CodeFit, { dark, gains, reach }: FitResidual): Float64Array[] {
  const { curve, symbology, values, first, last } = fit
  const half = (last + 1 - first) / 2
  const slopes = computeDarknessDerivatives(listBarEdges(symbology, values), computePixelPositions(fit), fit)
  let along = slopes.place
  const columns = curve.map((_, power) => {
    if (power > 0) along = along.map((slope, index) => slope * ((index + 0.5) / half - 1))
    return along
  })
  columns.push(slopes.blur, slopes.spread)
  if (symbology.withRatio !== null) {
    const moved = applySteps(fit, [...columns.map(() => 0), DIFFERENCE])
    columns.push(renderBlurredBars(listBarEdges(moved.symbology, values), computePixelPositions(moved), moved).map((shade, index) => (shade - (dark[index] ?? 0)) / DIFFERENCE))
  }
  return columns.map((column) => subtractMovingAverage(column, reach).map((slope, index) => -slope * (gains[index] ?? 0)))
}

/** Returns each value minus the moving average around it. `reach` is half the window's width in samples. */
function subtractMovingAverage(values: Float64Array, reach: number): Float64Array {
  const sums = new Float64Array(values.length + 1)
  for (let index = 0; index < values.length; index++) sums[index + 1] = (sums[index] ?? 0) + (values[index] ?? 0)
  return values.map((value, index) => {
    const [from, to] = [Math.max(0, index - reach), Math.min(values.length, index + reach + 1)]
    return value - ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from)
  })
}

/** Refines the position and appearance of a code by up to `rounds` Gauss-Newton steps. Stops early when the fit no longer improves. */
export function refineFit(profile: Float64Array, start: CodeFit, rounds: number): { fit: CodeFit; residual: FitResidual } {
  let fit = start
  let residual = computeFitResidual(profile, fit)
  for (let round = 0; round < rounds; round++) {
    const wanted = solveLeastSquares(computeSlopes(fit, residual), residual.values.map((value) => -value), 1e-3)
    const largest = Math.max(...wanted.map(Math.abs))
    let scale = Math.min(1, LARGEST_STEP / largest)
    const before = residual.variance
    for (let tries = 0; tries < 3; tries++, scale /= 3) {
      const next = applySteps(fit, wanted.map((step) => step * scale))
      const better = computeFitResidual(profile, next)
      if (better.variance < residual.variance) {
        fit = next
        residual = better
        break
      }
    }
    if (residual.variance > before * 0.98) break
  }
  return { fit, residual }
}
