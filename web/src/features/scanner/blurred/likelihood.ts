import { computeBlurredStep, renderBlurredBars, computeApparentEdgePosition } from './blurredBars'
import { computePixelPositions, type CodeFit, type FitResidual } from './codeFit'
import { listBarEdges } from './symbologies'

/** Log likelihood of each character at each position of a code, relative to the most likely character of that position (0). */
export type CharacterLikelihoods = Float64Array[]

/** Width in modules of the area on each side of a character that is compared as well, because blur extends beyond the character. */
const NEIGHBOUR_WIDTH = 2.5
/**
 * Minimum assumed noise (difference between measured and simulated brightness) as a share of the contrast. Allows for effects of camera and
 * print that the simulation leaves out.
 */
const MIN_DIFFERENCE = 0.015
/** Factor of the log likelihoods. Errors of neighbouring pixels are correlated, so each pixel counts as less than one observation. */
const LIKELIHOOD_FACTOR = 0.5

/**
 * Computes the likelihood of each character at each position of a code. Compares the profile with the character's blurred pattern,
 * placed between the neighbouring characters of the fit.
 */
export function computeCharacterLikelihoods(profile: Float64Array, fit: CodeFit, { variance, contrast }: FitResidual): CharacterLikelihoods {
  const { symbology, values } = fit
  const places = computePixelPositions(fit)
  const edges = listBarEdges(symbology, values)
  const floor = Math.max(variance, (MIN_DIFFERENCE * contrast) ** 2)
  return values.map((_, place) => {
    const from = place * symbology.width
    const to = from + symbology.width
    const inside = (at: number) => at >= from - NEIGHBOUR_WIDTH && at <= to + NEIGHBOUR_WIDTH
    const first = places.findIndex(inside)
    const window = places.slice(first, places.findLastIndex(inside) + 1)
    const bright = profile.subarray(fit.first + first, fit.first + first + window.length)
    const outer = edges.filter(({ at }) => at <= from + 1e-6 || at >= to - 1e-6)
    const base = renderBlurredBars(outer, window, fit)
    const drawStep = createSteps(window, fit)
    const dark = new Float64Array(window.length)
    const rests = Float64Array.from(symbology.characters, (widths) => {
      dark.set(base)
      drawInside(dark, widths, from, drawStep)
      return unexplainedEnergy(bright, dark)
    })
    const least = Math.min(...rests)
    const noise = Math.max(least / bright.length, floor) // a position that no character fits well counts less
    return rests.map((rest) => (-LIKELIHOOD_FACTOR * (rest - least)) / (2 * noise))
  })
}

type DrawStep = (at: number, rises: boolean) => Float64Array

/**
 * Returns a function that computes how one blurred edge changes the darkness of each pixel, and caches the result for characters with the
 * same edge.
 */
function createSteps(places: Float64Array, { blur, spread }: CodeFit): DrawStep {
  const known = [new Map<number, Float64Array>(), new Map<number, Float64Array>()] as const
  return (at, rises) => {
    const drawn = known[rises ? 1 : 0]
    const key = Math.round(at * 1024)
    let step = drawn.get(key)
    if (step === undefined) {
      const [place, sign] = [computeApparentEdgePosition({ at, rises }, spread), rises ? 1 : -1]
      step = places.map((pixel) => sign * computeBlurredStep((pixel - place) / blur))
      drawn.set(key, step)
    }
    return step
  }
}

/**
 * Adds the change of darkness at each inner edge of a character (between its bars and spaces) to `dark`. The character begins at `from`, in
 * modules.
 */
function drawInside(dark: Float64Array, widths: readonly number[], from: number, drawStep: DrawStep): void {
  let at = from
  for (let part = 0; part + 1 < widths.length; part++) {
    at += widths[part] ?? 0
    const step = drawStep(at, part % 2 === 1)
    for (let index = 0; index < dark.length; index++) dark[index] = (dark[index] ?? 0) + (step[index] ?? 0)
  }
}

/** Returns the sum of squared differences between a part of a profile and a pattern, with brightness and contrast fitted. */
function unexplainedEnergy(bright: Float64Array, dark: Float64Array): number {
  const count = bright.length
  let [p, d, pp, dd, pd] = [0, 0, 0, 0, 0]
  for (let index = 0; index < count; index++) {
    const [one, other] = [bright[index] ?? 0, dark[index] ?? 0]
    p += one
    d += other
    pp += one * one
    dd += other * other
    pd += one * other
  }
  const energy = pp - (p * p) / count
  const common = pd - (p * d) / count
  const shape = dd - (d * d) / count
  return common >= 0 || shape <= 0 ? energy : energy - (common * common) / shape // darkness lowers the brightness
}
