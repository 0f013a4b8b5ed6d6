import type { Likelihoods } from './likelihood'
import type { Symbology } from './symbologies'

/** A text that a soft reading found. */
export interface SoftText {
  text: string
  /** Whether no character is in doubt. A doubtful text counts only when the campaign's list confirms it. */
  certain: boolean
  /** Other texts that are nearly as likely. A list that contains one of them does not confirm the text. */
  alternatives: string[]
}

/** Minimum lead in log likelihood over the runner-up for a character without doubt. */
export const MARGIN = 4
/** Lead below which not even the campaign's list confirms a text. */
export const MIN_MARGIN = 1
const MAX_DOUBTFUL = 3
const MAX_ALTERNATIVES = 24
/** Minimum number of characters of a text. */
const SHORTEST = 4

interface Place {
  /** Values in the order of their likelihood, and how far each is behind the first. */
  ranked: { value: number; behind: number }[]
}

const rank = (likelihoods: Float64Array): Place => {
  const best = Math.max(...likelihoods)
  return { ranked: Array.from(likelihoods, (likelihood, value) => ({ value, behind: best - likelihood })).toSorted((a, b) => a.behind - b.behind) }
}

const leadOf = ({ ranked }: Place): number => ranked[1]?.behind ?? Infinity

/** Returns the most likely values of the places. */
export const mostLikely = (likelihoods: Likelihoods): number[] => likelihoods.map((place) => place.indexOf(Math.max(...place)))

/**
 * Decides what the likelihoods of the places say. Start and stop must fit beyond doubt, the check character must be right, and each
 * character must lead by a margin. Returns `null` when not even a list could confirm the text.
 */
export function decide(symbology: Symbology, likelihoods: Likelihoods): SoftText | null {
  const places = likelihoods.map(rank)
  const values = places.map(({ ranked }) => ranked[0]?.value ?? 0)
  const { starts, stop, textOf } = symbology
  const ends = [places[0], places.at(-1)]
  if (!starts.includes(values[0] ?? -1) || values.at(-1) !== stop || ends.some((place) => place === undefined || leadOf(place) < MARGIN)) return null
  const text = textOf(values.slice(0, -1))
  if (text === null || text.trim().length < SHORTEST) return null
  const doubtful = places.flatMap((place, index) => (leadOf(place) < MARGIN ? [index] : []))
  if (doubtful.length === 0) return { text, certain: true, alternatives: [] }
  if (doubtful.length > MAX_DOUBTFUL || places.some((place) => leadOf(place) < MIN_MARGIN)) return null
  const alternatives = alternativesOf(symbology, values, places, doubtful)
  return alternatives === null ? null : { text, certain: false, alternatives }
}

/** Returns the other texts that are possible when doubtful characters are replaced by their rivals; `null` when there are too many. */
function alternativesOf({ textOf }: Symbology, values: readonly number[], places: readonly Place[], doubtful: readonly number[]): string[] | null {
  let variants: number[][] = [[...values]]
  for (const index of doubtful) {
    const rivals = (places[index]?.ranked ?? []).filter(({ behind }) => behind < MARGIN)
    variants = variants.flatMap((variant) => rivals.map(({ value }) => variant.with(index, value)))
    if (variants.length > MAX_ALTERNATIVES) return null
  }
  return variants.slice(1).flatMap((variant) => textOf(variant.slice(0, -1)) ?? [])
}
