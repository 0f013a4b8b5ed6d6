import { computeStartCharacterPosition, type StartCharacterCandidate } from './startCharacterCandidates'
import type { Symbology } from './symbologies'
import { computeSampleEnergy, computeExplainedVarianceRatio, findBestMatchingCharacter, SAMPLES_PER_MODULE, type SampledBrightnessProfile, type SymbologyTemplates } from './templates'

/**
 * Candidate reading of a barcode: a character sequence that may have produced a brightness profile, with its estimated position in the
 * profile.
 */
export interface CodeHypothesis {
  symbology: Symbology
  /** Values of the characters (indexes into the symbology's character table), including start and stop. */
  values: number[]
  /** Start positions of the characters, in pixels from the start of the brightness profile. */
  begins: number[]
  /** Estimated module size (width of the narrowest bar) in pixels. */
  module: number
  /** Estimated blur in modules. */
  blur: number
  /** Mismatch between profile and character patterns; 0 is a perfect match. Bars that the code does not cover add to the cost. */
  cost: number
  /** Whether the code runs from the right to the left. */
  isReversed: boolean
}

/** Minimum match of a stop character: the share of the samples' variance that its pattern explains, 0 to 1. */
const STOP_FIT = 0.6
const MAX_PLACES = 48
const BEAM = 8
/** Maximum displacement of a character from its expected position, in samples. */
const MAX_SLIP = 2
const SLIP_COST = 0.02
/**
 * Weights for correcting the expected position, the module size and the growth of the module size by a character's displacement. The
 * displacement is the distance from the position at which the search expected the character.
 */
const [FOLLOW_PLACE, FOLLOW_SIZE, FOLLOW_GROWTH] = [0.7, 0.5, 0.1]
/** Maximum ratio between the module sizes of two successive characters. */
const MAX_GROWTH = 1.04
/**
 * Cost allowed per character of a partial character sequence; 0 is a perfect match. The search drops a sequence of n characters when its
 * total cost exceeds n + 1 times this cost.
 */
const MAX_COST = 0.3
/** Cost added to a code that covers none of the bars. The added cost falls linearly to 0 for a code that covers all bars. */
const UNCOVERED_COST = 0.3
/** Limits of a character's contrast, as factors of the contrast of the start character. */
const [MIN_GAIN, MAX_GAIN] = [0.35, 2.5]

interface Path {
  /** Value of the last character of the path (partial character sequence). */
  value: number
  /** Pixel at which the last character begins. */
  begin: number
  /** Path without its last character; null for the start character. */
  before: Path | null
  /** Pixel at which the next character is expected. `module` is the module size there. */
  next: number
  module: number
  /** Ratio of the module sizes of two successive characters. */
  growth: number
  cost: number
}

const clamp = (factor: number, most: number): number => Math.max(1 / most, Math.min(most, factor))

/** Extends a start character by beam search to full character sequences. Returns a hypothesis for each stop character that matches. */
export function listHypothesesForStartCharacter(start: StartCharacterCandidate): CodeHypothesis[] {
  const { line, level: { module }, search: { set, blur } } = start
  const { symbology } = set
  const bests = createBestCharacters(start)
  const begin = computeStartCharacterPosition(start)
  let paths: Path[] = [{ value: start.template.value, begin, before: null, next: begin + symbology.width * module, module, growth: 1, cost: 1 - start.fit }]
  const found: CodeHypothesis[] = []
  for (let place = 1; place < MAX_PLACES && paths.length > 0; place++) {
    const longer: Path[] = []
    for (const path of paths) {
      const level = nearest(line.levels, path.module)
      const stop = place > 2 ? stopOf(level, set, path) : null
      if (stop !== null) {
        const covered = (stop.begin + (symbology.width + symbology.tail) * path.module - begin) / (line.bars.end - line.bars.begin)
        const cost = (path.cost + stop.cost) / (place + 1) + UNCOVERED_COST * Math.max(0, 1 - covered)
        found.push({ symbology, blur, isReversed: line.isReversed, ...charactersOf({ ...path, value: symbology.stop, begin: stop.begin, before: path }), module: path.module, cost })
      }
      longer.push(...extend(level, bests, symbology.width, path))
    }
    paths = choosePaths(longer.filter(({ cost }) => cost <= MAX_COST * (place + 1) + MAX_COST))
  }
  return found
}

/** Returns the values and the start positions of the characters in a path (partial character sequence). */
function charactersOf(path: Path): Pick<CodeHypothesis, 'values' | 'begins'> {
  const characters: Path[] = []
  for (let part: Path | null = path; part !== null; part = part.before) characters.push(part)
  characters.reverse()
  return { values: characters.map(({ value }) => value), begins: characters.map(({ begin }) => begin) }
}

/**
 * Prunes the search: returns the `BEAM` paths (partial character sequences) with the lowest cost, at most one for each position of the next
 * character.
 */
function choosePaths(paths: Path[]): Path[] {
  paths.sort((a, b) => a.cost - b.cost)
  const chosen: Path[] = []
  for (const [index, path] of paths.entries()) {
    if (chosen.length >= BEAM) break
    let cheaper = 0
    while (cheaper < index && Math.abs((paths[cheaper]?.next ?? 0) - path.next) >= path.module / SAMPLES_PER_MODULE / 2) cheaper++
    if (cheaper === index) chosen.push(path)
  }
  return chosen
}

const nearest = (levels: readonly SampledBrightnessProfile[], module: number): SampledBrightnessProfile => levels.reduce((best, level) => (Math.abs(level.module - module) < Math.abs(best.module - module) ? level : best))

interface BestCharacter {
  value: number
  cost: number
}
type BestCharacters = (level: SampledBrightnessProfile, from: number) => BestCharacter | null

/**
 * Returns a function that finds the character whose bar pattern best matches a brightness profile from the sample index `from`. The function
 * caches its results. The parameter `level` is the brightness profile, resampled at one module size.
 */
function createBestCharacters({ search: { set }, gain }: StartCharacterCandidate): BestCharacters {
  const known = new Map<SampledBrightnessProfile, Map<number, BestCharacter | null>>()
  const { count } = set.inner
  const search: BestCharacters = (level, from) => {
    if (from < 0 || from + count > level.samples.length) return null
    const [value, strongest] = findBestMatchingCharacter(level, set, from)
    const contrast = strongest / Math.sqrt(count) / gain
    return contrast < MIN_GAIN || contrast > MAX_GAIN ? null : { value, cost: 1 - (strongest * strongest) / computeSampleEnergy(level, from, count) }
  }
  return (level, from) => {
    const places = known.get(level) ?? new Map<number, BestCharacter | null>()
    known.set(level, places)
    const remembered = places.get(from)
    if (remembered !== undefined) return remembered
    const best = search(level, from)
    places.set(from, best)
    return best
  }
}

function stopOf(level: SampledBrightnessProfile, { stop }: SymbologyTemplates, { next }: Path): { begin: number; cost: number } | null {
  let best: { begin: number; cost: number } | null = null
  const expected = Math.round((next * SAMPLES_PER_MODULE) / level.module)
  for (let slip = -MAX_SLIP; slip <= MAX_SLIP; slip++) {
    const cost = 1 - computeExplainedVarianceRatio(level, stop, expected + slip)
    if (cost <= 1 - STOP_FIT && (best === null || cost < best.cost)) best = { begin: ((expected + slip) * level.module) / SAMPLES_PER_MODULE, cost }
  }
  return best
}

/**
 * Returns the continuations of a path (partial character sequence) by one character: the best match at each displacement from the expected
 * position.
 */
function extend(level: SampledBrightnessProfile, bests: BestCharacters, width: number, path: Path): Path[] {
  const longer: Path[] = []
  const expected = Math.round((path.next * SAMPLES_PER_MODULE) / level.module)
  for (let slip = -MAX_SLIP; slip <= MAX_SLIP; slip++) {
    const best = bests(level, expected + slip)
    if (best === null) continue
    const begin = ((expected + slip) * level.module) / SAMPLES_PER_MODULE
    const error = (begin - path.next) / (width * path.module)
    const growth = clamp(path.growth * (1 + FOLLOW_GROWTH * error), MAX_GROWTH)
    const module = path.module * clamp(1 + FOLLOW_SIZE * error, MAX_GROWTH) * growth
    const at = path.next + FOLLOW_PLACE * (begin - path.next)
    longer.push({ value: best.value, begin, before: path, next: at + width * module, module, growth, cost: path.cost + best.cost + SLIP_COST * slip * slip })
  }
  return longer
}

