import { findHypotheses, type Hypothesis } from './alignment'
import { decide, mostLikely, type SoftText } from './decision'
import { improveFit, startFit, type Fit } from './fit'
import { likelihoodsOf } from './likelihood'
import { createProfile, type Profile } from './profile'
import { createBands, findStrips } from './strips'
import { SYMBOLOGIES, lengthOf, type Symbology } from './symbologies'
import { MODULE_SIZES, createLevel, createTemplates } from './templates'
import { mapPoint, rotatePicture, type GrayPicture, type Point } from '../pixels'

/** A code that was read softly, with its corners in the frame. */
export interface SoftCode extends SoftText {
  format: Symbology['format']
  corners: Point[]
}

const MAX_STRIPS = 2
const MAX_HYPOTHESES = 3
/** Blurs in modules with which the search draws its patterns. */
const BLURS = [0.4, 0.8]
const ROUNDS = 3
const REFITS = 3
/** Minimum share of a profile's energy that a code explains. */
const EXPLAINED = 0.85

let templates: ReturnType<typeof createSets> | null = null
const createSets = () => SYMBOLOGIES.flatMap((symbology) => BLURS.map((blur) => ({ set: createTemplates(symbology, blur), blur })))

interface ProfileCode extends SoftText {
  fit: Fit
  /** Whether the code runs from the right to the left. */
  isReversed: boolean
}

/** Reads a code from a profile in either direction; `null` without one. */
export function readProfile(values: Float64Array): ProfileCode | null {
  templates ??= createSets()
  const directions = [values, values.toReversed()]
  const lines = directions.map((direction, index) => ({ levels: MODULE_SIZES.map((module) => createLevel(direction, module)), isReversed: index === 1 }))
  for (const hypothesis of findHypotheses(lines, templates, MAX_HYPOTHESES)) {
    const read = checkHypothesis(hypothesis.isReversed ? values.toReversed() : values, hypothesis)
    if (read !== null) return read
  }
  return null
}

/** Fits a sequence of characters to a profile, replaces characters that others fit better, and decides about the result. */
function checkHypothesis(values: Float64Array, hypothesis: Hypothesis): ProfileCode | null {
  let fit = startFit(hypothesis, values.length)
  for (let again = 0; again < REFITS; again++) {
    const improved = improveFit(values, fit, ROUNDS)
    fit = improved.fit
    const { residual } = improved
    const likelihoods = likelihoodsOf(values, fit, residual)
    const next = mostLikely(likelihoods)
    const isStable = next.every((value, place) => value === fit.values[place])
    if (isStable) {
      if (residual.contrast <= 0 || residual.variance > (1 - EXPLAINED) * residual.energy) return null
      const decided = decide(fit.symbology, likelihoods)
      return decided === null ? null : { ...decided, fit, isReversed: hypothesis.isReversed }
    }
    fit = { ...fit, values: next }
  }
  return null
}

/** Reads the clearest linear code whose bars cross a direction, from the rows averaged along its bars. */
export function readSoftly(frame: GrayPicture, direction: number): SoftCode | null {
  const { picture, back } = rotatePicture(frame, direction)
  const bands = createBands(picture)
  for (const strip of findStrips(bands, MAX_STRIPS)) {
    const profile = createProfile(bands, strip)
    const read = readProfile(profile.values)
    if (read === null) continue
    const { fit, isReversed, ...text } = read
    return { ...text, format: fit.symbology.format, corners: cornersOf(fit, profile, isReversed).map((corner) => mapPoint(back, corner)) }
  }
  return null
}

/** Returns the corners of a code in the upright picture: top left, top right, bottom right, bottom left, seen from the code. */
function cornersOf({ curve, first, last, symbology, values }: Fit, { left, top, bottom, values: { length } }: Profile, isReversed: boolean): Point[] {
  const [offset = 0, size = 1] = curve
  const pixelOf = (module: number) => (first + last) / 2 + ((module - offset) / size) * ((last - first) / 2)
  const [start, end] = [pixelOf(0), pixelOf(lengthOf(symbology, values.length))]
  const box = [{ x: left + start, y: top }, { x: left + end, y: top }, { x: left + end, y: bottom }, { x: left + start, y: bottom }]
  return isReversed ? box.map(({ x, y }) => ({ x: 2 * left + length - x, y: top + bottom - y })) : box
}
