import { computePixelPositions, type CodeFit, type FitResidual } from './codeFit'

/**
 * Limits of the difference between measured and simulated brightness at one character. `MAX_FACTOR` is a multiple of the median difference
 * of all characters, `MAX_SHARE` a share of the contrast. The larger limit applies.
 */
const [MAX_FACTOR, MAX_SHARE] = [3, 0.05]

/**
 * Returns whether a fitted code matches its profile about equally well at each character and in both quiet zones. A wrong character matches
 * clearly worse, and so does a quiet zone that contains bars.
 */
export function hasUniformResidual(fit: CodeFit, residual: FitResidual): boolean {
  const { symbology: { width, tail }, values } = fit
  const places = computePixelPositions(fit)
  const squares = new Float64Array(values.length + 2) // the quiet zones come first and last
  const counts = new Float64Array(values.length + 2)
  for (const [index, at] of places.entries()) {
    const isAfter = at > values.length * width + tail
    const part = isAfter ? values.length + 1 : Math.min(values.length, Math.max(0, Math.floor(at / width) + 1))
    squares[part] = (squares[part] ?? 0) + (residual.values[index] ?? 0) ** 2
    counts[part] = (counts[part] ?? 0) + 1
  }
  const means = squares.map((square, part) => Math.sqrt(square / Math.max(1, counts[part] ?? 0)))
  const median = means.slice(1, -1).toSorted()[values.length >> 1] ?? 0
  return means.every((mean) => mean <= Math.max(MAX_FACTOR * median, MAX_SHARE * residual.contrast))
}
