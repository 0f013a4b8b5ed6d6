import type { CharacterLikelihoods } from './likelihood'
import type { Symbology } from './symbologies'

/** Text of a blurred linear code, read by comparing its measured brightness with computed patterns of the possible characters. */
export interface BlurredCodeText {
  text: string
  /** Whether the text is reliable by itself. Otherwise, the text is used only when the campaign's vehicle list contains it. */
  certain: boolean
  /** Other texts that are nearly as likely. If the campaign's vehicle list contains one of them, `text` is not used. */
  alternatives: string[]
}

/** Minimum lead in log likelihood over the second-best character at which a character counts as certain. */
export const MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN = 4
/**
 * Minimum lead in log likelihood over the second-best character, required at every position. A text with a smaller lead at any position is
 * rejected.
 */
export const MIN_ACCEPTED_LOG_LIKELIHOOD_MARGIN = 1
const MAX_DOUBTFUL = 3
const MAX_ALTERNATIVES = 24
/** Minimum length of an accepted text in characters. */
const MIN_TEXT_LENGTH = 4

interface Place {
  /** Character values, the most likely first. `behind` is the difference in log likelihood from the most likely value. */
  ranked: { value: number; behind: number }[]
}

const rank = (likelihoods: Float64Array): Place => {
  const best = Math.max(...likelihoods)
  return { ranked: Array.from(likelihoods, (likelihood, value) => ({ value, behind: best - likelihood })).toSorted((a, b) => a.behind - b.behind) }
}

const leadOf = ({ ranked }: Place): number => ranked[1]?.behind ?? Infinity

/** Returns the most likely character value at each position. */
export const pickMostLikelyCharacterValues = (likelihoods: CharacterLikelihoods): number[] => likelihoods.map((place) => place.indexOf(Math.max(...place)))

/** Returns the most likely text; `null` when start, stop or check characters are wrong or the text is too uncertain to be used. */
export function pickMostLikelyText(symbology: Symbology, likelihoods: CharacterLikelihoods): BlurredCodeText | null {
  const places = likelihoods.map(rank)
  const values = places.map(({ ranked }) => ranked[0]?.value ?? 0)
  const { starts, stop, textOf } = symbology
  const ends = [places[0], places.at(-1)]
  if (!starts.includes(values[0] ?? -1) || values.at(-1) !== stop || ends.some((place) => place === undefined || leadOf(place) < MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN)) return null
  const text = textOf(values.slice(0, -1))
  if (text === null || text.trim().length < MIN_TEXT_LENGTH) return null
  const doubtful = places.flatMap((place, index) => (leadOf(place) < MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN ? [index] : []))
  if (doubtful.length === 0) return { text, certain: true, alternatives: [] }
  if (doubtful.length > MAX_DOUBTFUL || places.some((place) => leadOf(place) < MIN_ACCEPTED_LOG_LIKELIHOOD_MARGIN)) return null
  const alternatives = alternativesOf(symbology, values, places, doubtful)
  return alternatives === null ? null : { text, certain: false, alternatives }
}

/** Returns the texts with uncertain characters replaced by likely alternatives; `null` when there are more than `MAX_ALTERNATIVES`. */
function alternativesOf({ textOf }: Symbology, values: readonly number[], places: readonly Place[], doubtful: readonly number[]): string[] | null {
  let variants: number[][] = [[...values]]
  for (const index of doubtful) {
    const rivals = (places[index]?.ranked ?? []).filter(({ behind }) => behind < MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN)
    variants = variants.flatMap((variant) => rivals.map(({ value }) => variant.with(index, value)))
    if (variants.length > MAX_ALTERNATIVES) return null
  }
  return variants.slice(1).flatMap((variant) => textOf(variant.slice(0, -1)) ?? [])
}
