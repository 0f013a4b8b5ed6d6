import { findCodeHypotheses } from './alignment'
import { pickMostLikelyText, pickMostLikelyCharacterValues, type BlurredCodeText } from './likeliestCode'
import { hasUniformResidual } from './printEvenness'
import { refineFit, createInitialFit, type CodeFit } from './codeFit'
import { computeCharacterLikelihoods } from './likelihood'
import type { CodeHypothesis } from './codeHypotheses'
import { createBrightnessProfile, type BrightnessProfile } from './brightnessProfile'
import { createRowBands, findBarStrips } from './barStrips'
import { SYMBOLOGIES, computeCodeLength, type Symbology } from './symbologies'
import { resampleProfile, createSymbologyTemplates } from './templates'
import { mapToSourcePoint, rotatePicture, type GrayPicture, type Point } from '../pixels'

/** Linear code that the blurred-code decoder read, with its format and its corners in the camera frame. */
export interface BlurredCode extends BlurredCodeText {
  format: Symbology['format']
  corners: Point[]
}

const MAX_STRIPS = 2
const MAX_HYPOTHESES = 3
/** Blur widths for which the search computes character patterns, as standard deviations in modules (widths of the narrowest bar). */
const BLUR_WIDTHS = [0.4, 0.8, 1.15]
const ROUNDS = 3
const REFITS = 3
/** Minimum share of a brightness profile's variance that a code must explain to be accepted. */
const MIN_EXPLAINED_SHARE = 0.85
/**
 * Share of the profile's variance that a code without a check character must explain to count as certain. In tests, a code without a stop
 * character was misread at 0.88, and correctly read codes reached at least 0.96.
 */
const CERTAIN_EXPLAINED_SHARE = 0.92
/** Share of the profile's variance that a candidate must explain to be refined further. Other candidates are rejected. */
const PROMISING_SHARE = 0.7

let templates: ReturnType<typeof createSets> | null = null
const createSets = () => SYMBOLOGIES.map((symbology) => BLUR_WIDTHS.map((blur) => ({ set: createSymbologyTemplates(symbology, blur), blur })))

interface ProfileCode extends BlurredCodeText {
  fit: CodeFit
  /** Whether the code runs from the right to the left. */
  isReversed: boolean
}

/** Reads a barcode from a brightness profile in either direction; returns `null` when the profile contains no barcode. */
export function decodeBrightnessProfile({ values, bars: { begin, end } }: Pick<BrightnessProfile, 'values' | 'bars'>): ProfileCode | null {
  templates ??= createSets()
  const reversed = values.toReversed()
  const lines = [
    { levels: resampleProfile(values), isReversed: false, bars: { begin, end } },
    { levels: resampleProfile(reversed), isReversed: true, bars: { begin: values.length - end, end: values.length - begin } },
  ]
  for (const hypothesis of findCodeHypotheses(lines, templates, MAX_HYPOTHESES)) {
    const read = checkHypothesis(hypothesis.isReversed ? reversed : values, hypothesis)
    if (read !== null) return read
  }
  return null
}

/**
 * Fits a candidate character sequence to a brightness profile. Replaces each character for which another one fits better, and fits again.
 * Returns `null` when no sequence fits well enough.
 */
function checkHypothesis(values: Float64Array, hypothesis: CodeHypothesis): ProfileCode | null {
  let fit = createInitialFit(hypothesis, values.length)
  for (let again = 0; again < REFITS; again++) {
    const improved = refineFit(values, fit, ROUNDS)
    fit = improved.fit
    const { residual } = improved
    if (residual.variance > (1 - PROMISING_SHARE) * residual.energy) return null
    const likelihoods = computeCharacterLikelihoods(values, fit, residual)
    const next = pickMostLikelyCharacterValues(likelihoods)
    const isStable = next.every((value, place) => value === fit.values[place])
    if (isStable) {
      if (residual.contrast <= 0 || residual.variance > (1 - MIN_EXPLAINED_SHARE) * residual.energy || !hasUniformResidual(fit, residual)) return null
      const decided = pickMostLikelyText(fit.symbology, likelihoods)
      if (decided === null) return null
      const isClear = fit.symbology.hasCheckCharacter || residual.variance <= (1 - CERTAIN_EXPLAINED_SHARE) * residual.energy
      return { ...decided, certain: decided.certain && isClear, fit, isReversed: hypothesis.isReversed }
    }
    fit = { ...fit, values: next }
  }
  return null
}

/** Reads a blurred linear code by averaging pixel rows along its bars. `directions` are the possible angles across the bars, in radians. */
export function decodeBlurredCode(frame: GrayPicture, directions: readonly number[]): BlurredCode | null {
  const found = directions.flatMap((direction) => {
    const { picture, back } = rotatePicture(frame, direction)
    const bands = createRowBands(picture)
    return findBarStrips(bands, MAX_STRIPS).map((strip) => ({ strip, bands, back }))
  })
  for (const { strip, bands, back } of found.toSorted((a, b) => b.strip.score - a.strip.score).slice(0, MAX_STRIPS)) {
    const profile = createBrightnessProfile(bands, strip)
    const read = decodeBrightnessProfile(profile)
    if (read === null) continue
    const { fit, isReversed, ...text } = read
    return { ...text, format: fit.symbology.format, corners: cornersOf(fit, profile, isReversed).map((corner) => mapToSourcePoint(back, corner)) }
  }
  return null
}

/** Returns the four corners of a code in the rotated picture, clockwise from the code's own top left corner. */
function cornersOf({ curve, first, last, symbology, values }: CodeFit, { left, top, bottom, values: { length } }: BrightnessProfile, isReversed: boolean): Point[] {
  const [offset = 0, size = 1] = curve
  const pixelOf = (module: number) => (first + last) / 2 + ((module - offset) / size) * ((last - first) / 2)
  const [start, end] = [pixelOf(0), pixelOf(computeCodeLength(symbology, values.length))]
  const box = [{ x: left + start, y: top }, { x: left + end, y: top }, { x: left + end, y: bottom }, { x: left + start, y: bottom }]
  return isReversed ? box.map(({ x, y }) => ({ x: 2 * left + length - x, y: top + bottom - y })) : box
}
