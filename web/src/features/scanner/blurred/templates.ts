import { renderBlurredBars } from './blurredBars'
import { listBarEdges, listEdgesWithinCharacter, type Symbology } from './symbologies'

/** Number of samples per module (width of the narrowest bar) in the coarse search. */
export const SAMPLES_PER_MODULE = 3
/** Width in modules of the quiet zone that belongs to the patterns of start and stop characters. */
const QUIET = 4

/** Pattern of a character with mean 0 and norm 1, for normalized correlation. */
export interface CharacterTemplate {
  value: number
  samples: Float64Array
  /** Number of samples before the character's first bar. */
  lead: number
}

/** Blurred character patterns of a symbology, for the coarse search. */
export interface SymbologyTemplates {
  symbology: Symbology
  starts: CharacterTemplate[]
  /**
   * Character values (indexes into the symbology's character table) and patterns of the characters between start and stop. `samples`
   * contains the patterns one after another, `count` samples per character.
   */
  inner: { values: number[]; count: number; samples: Float64Array }
  stop: CharacterTemplate
}

function normalize(value: number, dark: Float64Array, lead: number): CharacterTemplate {
  const mean = dark.reduce((sum, shade) => sum + shade, 0) / dark.length
  const norm = Math.sqrt(dark.reduce((sum, shade) => sum + (shade - mean) ** 2, 0))
  return { value, samples: dark.map((shade) => (mean - shade) / norm), lead } // bright is positive, as in a profile
}

/** Returns evenly spaced sample positions between `from` and `to`, all in modules (widths of the narrowest bar). */
const samplePositions = (from: number, to: number): Float64Array => Float64Array.from({ length: Math.floor((to - from) * SAMPLES_PER_MODULE) }, (_, index) => from + (index + 0.5) / SAMPLES_PER_MODULE)

/** Computes the patterns of a symbology, blurred by `blur` modules. A module is the width of a narrow bar. */
export function createSymbologyTemplates(symbology: Symbology, blur: number): SymbologyTemplates {
  const { characters, width, starts, stop, tail } = symbology
  const look = { blur, spread: 0 }
  const around = (value: number) => [{ at: -2, rises: true }, { at: -1.5, rises: false }, { at: 0, rises: true }, ...listEdgesWithinCharacter(characters[value] ?? [], 0), { at: width, rises: true }, { at: width + 1.5, rises: false }]
  const first = (value: number) => [...listBarEdges({ ...symbology, tail: 0 }, [value]), { at: width, rises: true }, { at: width + 1.5, rises: false }]
  const last = [{ at: -2, rises: true }, { at: -1.5, rises: false }, ...listBarEdges(symbology, [stop])]
  const inner = [...characters.keys()].filter((value) => value !== stop && !starts.includes(value))
  const patterns = inner.map((value) => normalize(value, renderBlurredBars(around(value), samplePositions(0, width), look), 0).samples)
  return {
    symbology,
    starts: starts.map((value) => normalize(value, renderBlurredBars(first(value), samplePositions(-QUIET, width), look), QUIET * SAMPLES_PER_MODULE)),
    inner: { values: inner, count: patterns[0]?.length ?? 0, samples: Float64Array.from(patterns.flatMap((pattern) => [...pattern])) },
    stop: normalize(stop, renderBlurredBars(last, samplePositions(0, width + tail + QUIET - (tail === 0 ? 1 : 0)), look), 0),
  }
}

/** Brightness profile resampled for one assumed module size (width in pixels of the narrowest bar). */
export interface SampledBrightnessProfile {
  /** Module size in pixels. */
  module: number
  samples: Float64Array
  /** Prefix sums of the samples. `squares` has the prefix sums of the squared samples. */
  sums: Float64Array
  squares: Float64Array
}

/** Smallest and largest module size of the coarse search in pixels, and the ratio between successive sizes. */
const [SMALLEST, LARGEST, GROWTH] = [0.9, 7, 1.07]
const MODULE_SIZES: readonly number[] = Array.from({ length: Math.ceil(Math.log(LARGEST / SMALLEST) / Math.log(GROWTH)) }, (_, index) => SMALLEST * GROWTH ** index)

/** Resamples a brightness profile for every module size of the coarse search. */
export const resampleProfile = (values: Float64Array): SampledBrightnessProfile[] => MODULE_SIZES.map((module) => sampleProfileAt(values, module))

/** Resamples a brightness profile for one module size, with `SAMPLES_PER_MODULE` samples per module, each the mean of its pixels. */
function sampleProfileAt(values: Float64Array, module: number): SampledBrightnessProfile {
  const integral = new Float64Array(values.length + 1)
  for (let index = 0; index < values.length; index++) integral[index + 1] = (integral[index] ?? 0) + (values[index] ?? 0)
  const step = module / SAMPLES_PER_MODULE
  const count = Math.floor(values.length / step)
  const level: SampledBrightnessProfile = { module, samples: new Float64Array(count), sums: new Float64Array(count + 1), squares: new Float64Array(count + 1) }
  const integralAt = (place: number) => {
    const index = Math.min(values.length - 1, Math.floor(place))
    return (integral[index] ?? 0) + (values[index] ?? 0) * (place - index)
  }
  for (let index = 0, before = 0; index < count; index++) {
    const after = integralAt((index + 1) * step)
    const sample = (after - before) / step
    before = after
    level.samples[index] = sample
    level.sums[index + 1] = (level.sums[index] ?? 0) + sample
    level.squares[index + 1] = (level.squares[index] ?? 0) + sample * sample
  }
  return level
}

/** Returns the energy of a range of samples: the sum of the squared differences from their mean. */
export function computeSampleEnergy({ sums, squares }: SampledBrightnessProfile, from: number, count: number): number {
  const sum = (sums[from + count] ?? 0) - (sums[from] ?? 0)
  return (squares[from + count] ?? 0) - (squares[from] ?? 0) - (sum * sum) / count
}

/**
 * Returns the correlation of samples with a normalized pattern. Its square is the part of the samples' energy (squared deviation from the
 * mean) that the pattern explains.
 */
export function computePatternCorrelation({ samples }: SampledBrightnessProfile, { samples: pattern }: CharacterTemplate, from: number): number {
  let gain = 0
  for (let index = 0; index < pattern.length; index++) gain += (pattern[index] as number) * (samples[from + index] as number)
  return gain
}

/**
 * Returns the value and the correlation of the best matching character other than start and stop. Returns -1 and 0 when no character
 * matches.
 */
export function findBestMatchingCharacter({ samples }: SampledBrightnessProfile, { inner: { values, count, samples: patterns } }: SymbologyTemplates, from: number): [number, number] {
  let [value, strongest] = [-1, 0]
  for (let index = 0, at = 0; index < values.length; index++) {
    let gain = 0
    for (let place = from; place < from + count; place++, at++) gain += (patterns[at] as number) * (samples[place] as number)
    if (gain > strongest) [value, strongest] = [values[index] as number, gain]
  }
  return [value, strongest]
}

/** Returns the share of the samples' variance that a pattern explains, 0 to 1; 0 outside of the profile and for inverted contrast. */
export function computeExplainedVarianceRatio(level: SampledBrightnessProfile, template: CharacterTemplate, from: number): number {
  const count = template.samples.length
  if (from < 0 || from + count > level.samples.length) return 0
  const energy = computeSampleEnergy(level, from, count)
  const gain = computePatternCorrelation(level, template, from)
  return gain <= 0 || energy <= 0 ? 0 : (gain * gain) / energy
}
