import { computeExplainedVarianceRatio, computePatternCorrelation, SAMPLES_PER_MODULE, type SampledBrightnessProfile, type CharacterTemplate, type SymbologyTemplates } from './templates'

/** Brightness profile in one of its two directions, resampled at every module size (width of the narrowest bar) of the search. */
export interface MultiScaleProfile {
  levels: readonly SampledBrightnessProfile[]
  isReversed: boolean
  /** Range of pixels in which the profile contains bars. */
  bars: { begin: number; end: number }
}

/** Minimum match of a start character: the share of the samples' variance that its pattern explains, 0 to 1. */
const START_FIT = 0.7
const MAX_STARTS = 10
/**
 * Maximum distance of a start character from the first detected bars. `NEAR` is a share of the width of all bars, and `NEAR_PIXELS` is a
 * number of pixels. The larger limit applies.
 */
const [NEAR, NEAR_PIXELS] = [0.2, 40]
/** Maximum difference between the logarithms of two module sizes that count as equal. */
const SAME_SIZE = 0.13
/** Standard deviation of the distance between a start character and the first detected bars, as a share of the width of all bars. */
const APART = 0.12

/** Character patterns of one symbology, all computed with the same blur (standard deviation in modules). */
export interface BlurredTemplates {
  set: SymbologyTemplates
  blur: number
}

/** Position in a brightness profile at which a start character matches. */
export interface StartCharacterCandidate {
  line: MultiScaleProfile
  search: BlurredTemplates
  level: SampledBrightnessProfile
  from: number
  template: CharacterTemplate
  fit: number
  gain: number
}

/**
 * Finds positions near the first bars at which a start character matches. `searches` are the patterns of one symbology at several blurs.
 */
export function findStartCharacterCandidates(line: MultiScaleProfile, searches: readonly BlurredTemplates[]): StartCharacterCandidate[] {
  const found: StartCharacterCandidate[] = []
  const middle = searches[searches.length >> 1]
  if (middle === undefined) return found
  const { begin, end } = line.bars
  for (const level of line.levels) {
    const pixel = level.module / SAMPLES_PER_MODULE
    const near = Math.max(NEAR_PIXELS, (end - begin) * NEAR)
    for (const template of middle.set.starts) {
      const last = Math.min((begin + near) / pixel - template.lead, level.samples.length - template.samples.length)
      let [before, fit] = [0, 0]
      for (let from = Math.max(0, Math.round((begin - near) / pixel - template.lead)); from <= last; from++) {
        const next = computeExplainedVarianceRatio(level, template, from + 1)
        if (fit >= START_FIT && fit >= before && fit > next) found.push(chooseBestBlur(line, searches, level, from, template))
        before = fit
        fit = next
      }
    }
  }
  return found
}

/** Returns a candidate for a start character at one position, with the blur level whose template of this character fits best. */
function chooseBestBlur(line: MultiScaleProfile, searches: readonly BlurredTemplates[], level: SampledBrightnessProfile, from: number, { value }: CharacterTemplate): StartCharacterCandidate {
  const starts = searches.flatMap((search) => {
    const template = search.set.starts.find((start) => start.value === value)
    if (template === undefined) return []
    return [{ line, search, level, from, template, fit: computeExplainedVarianceRatio(level, template, from), gain: computePatternCorrelation(level, template, from) / Math.sqrt(template.samples.length) }]
  })
  return starts.reduce((best, start) => (start.fit > best.fit ? start : best))
}

export const computeStartCharacterPosition = ({ level, from, template }: StartCharacterCandidate): number => ((from + template.lead) * level.module) / SAMPLES_PER_MODULE

/** Returns whether two candidates belong to the same printed code: the same start character at nearly the same position and size. */
const isSame = (one: StartCharacterCandidate, other: StartCharacterCandidate): boolean =>
  one.line === other.line && one.template.value === other.template.value && one.search.set.symbology.format === other.search.set.symbology.format &&
  one.search.set.symbology.ratio === other.search.set.symbology.ratio && Math.abs(computeStartCharacterPosition(one) - computeStartCharacterPosition(other)) <= 2 * one.level.module && Math.abs(Math.log(one.level.module / other.level.module)) < SAME_SIZE

/** Returns the best start candidates, at most `MAX_STARTS` and only one for each printed code. */
export function chooseStartCharacterCandidates(found: readonly StartCharacterCandidate[]): StartCharacterCandidate[] {
  const chosen: StartCharacterCandidate[] = []
  const strength = (start: StartCharacterCandidate) => {
    const { begin, end } = start.line.bars
    return start.fit ** 2 * start.gain ** 0.25 * Math.exp(-(((computeStartCharacterPosition(start) - begin) / (end - begin) / APART) ** 2) / 2)
  }
  for (const start of found.toSorted((a, b) => strength(b) - strength(a))) {
    if (chosen.every((other) => !isSame(other, start))) chosen.push(start)
    if (chosen.length >= MAX_STARTS) break
  }
  return chosen
}

