import type { OcrCandidateVehicle } from '../../../lib/scanner'
import { yieldToEventLoop } from '../../../lib/yieldToEventLoop'
import { computeSubstringEditDistance, foldLookAlikes, computeWeightedSubstringEditDistance } from './editDistance'
import type { RecognizedLine } from './protocol'

/** Result of comparing the text read from a label with the vehicles of a campaign. */
export type LabelTextMatch<V> =
  | { kind: 'identified'; vehicle: V }
  /**
   * Vehicles from which the user picks one. Their identifier resembles the label's text, or the label contains the end of their identifier
   * or their parking space.
   */
  | { kind: 'pick'; vehicles: V[] }
  | { kind: 'none' }

/**
 * Maximum number of differing characters between a label's text and a vehicle's identifier at which the text still identifies the vehicle.
 */
export const MAX_MATCH_EDIT_DISTANCE = 2
/**
 * Minimum lead of the best identifier: every other identifier must differ from the label's text in at least this many more characters. With
 * a smaller lead, the user picks the vehicle.
 */
export const MIN_EDIT_DISTANCE_MARGIN = 2
/**
 * Minimum confidence of the OCR engine, in percent, at which a character counts as certain. An identifier that differs from a certain
 * character cannot identify the vehicle.
 */
const CERTAIN_CONFIDENCE = 95
/** Minimum length of an identifier that can identify a vehicle. */
const MIN_IDENTIFYING_LENGTH = 8
/**
 * Minimum length of an identifier that may differ in up to `MAX_MATCH_EDIT_DISTANCE` characters. A shorter identifier may differ in only one.
 */
const LENIENT_LENGTH = 10
/**
 * Maximum number of characters in which a vehicle offered for picking may differ from the label's text. `LISTED_PER_CHARACTER` lowers the
 * maximum for short identifiers.
 */
const MAX_LISTED_DIFFERENCES = 4
const LISTED_PER_CHARACTER = 1 / 4
export const MAX_LISTED_VEHICLES = 6
const MIN_ENDING = 5
/** Number of vehicles that are compared in one slice. Between slices, the search lets other work of the page run. */
const VEHICLES_PER_SLICE = 2000
/** Placeholder for a line that was not read, which prevents an identifier from matching across that line. */
const LINE_SEPARATOR = '\n'

const maxWrong = (length: number): number => (length < MIN_IDENTIFYING_LENGTH ? -1 : length < LENIENT_LENGTH ? 1 : MAX_MATCH_EDIT_DISTANCE)
const maxListedDifferences = (length: number): number => Math.min(MAX_LISTED_DIFFERENCES, Math.floor(length * LISTED_PER_CHARACTER))

interface Candidate<V> {
  vehicle: V
  key: string
  off: number
}

/**
 * Text of all lines of a label, with look-alike characters replaced. `costs` contains the cost of a difference at each character. The lines
 * are joined, because an identifier may continue on the next line.
 */
interface JoinedText {
  text: string
  costs: number[]
}

/** Joins the lines of a label. `null` stands for a line that was not read. */
function joinLines(lines: readonly (RecognizedLine | null)[]): JoinedText {
  const joined: JoinedText = { text: '', costs: [] }
  const add = (character: string, cost: number) => {
    joined.text += character
    if (character !== '') joined.costs.push(cost)
  }
  for (const line of lines) {
    if (line === null) add(LINE_SEPARATOR, 1)
    else [...line.text].forEach((character, place) => add(foldLookAlikes(character), (line.confidences[place] ?? 0) < CERTAIN_CONFIDENCE ? 1 : MAX_MATCH_EDIT_DISTANCE + 1))
  }
  return joined
}

/**
 * Finds the vehicle that the lines of a label identify, or otherwise vehicles from which the user picks one. The identifier of the
 * identified vehicle differs from a part of the text in at most `MAX_MATCH_EDIT_DISTANCE` characters, and every other identifier differs in at
 * least `MIN_EDIT_DISTANCE_MARGIN` characters more. Characters that count as certain must match, because the label may belong to a vehicle
 * of another campaign. A short identifier, or only the ending of an identifier or a parking space, never identifies a vehicle.
 */
export async function matchLinesToVehicles<V extends OcrCandidateVehicle>(lines: readonly (RecognizedLine | null)[], vehicles: readonly V[]): Promise<LabelTextMatch<V>> {
  const joined = joinLines(lines)
  const near: Candidate<V>[] = []
  for (let start = 0; start < vehicles.length; start += VEHICLES_PER_SLICE) {
    if (start > 0) await yieldToEventLoop()
    for (const vehicle of vehicles.slice(start, start + VEHICLES_PER_SLICE)) {
      const key = foldLookAlikes(vehicle.vin_number)
      if (key === '') continue
      const off = computeSubstringEditDistance(key, joined.text)
      if (off <= Math.max(maxListedDifferences(key.length), MAX_MATCH_EDIT_DISTANCE + MIN_EDIT_DISTANCE_MARGIN) && off < key.length) near.push({ vehicle, key, off })
    }
  }
  return decide(near, joined) ?? listParts(lines, vehicles)
}

function decide<V>(near: Candidate<V>[], { text, costs }: JoinedText): LabelTextMatch<V> | null {
  near.sort((a, b) => a.off - b.off || b.key.length - a.key.length)
  const [best, ...others] = near
  if (best !== undefined && others.every((other) => distanceBeside(other, best, text) >= best.off + MIN_EDIT_DISTANCE_MARGIN) && computeWeightedSubstringEditDistance(best.key, text, costs) <= maxWrong(best.key.length)) {
    return { kind: 'identified', vehicle: best.vehicle }
  }
  const listed = near.filter(({ key, off }) => off <= maxListedDifferences(key.length))
  return listed.length > 0 ? { kind: 'pick', vehicles: listed.slice(0, MAX_LISTED_VEHICLES).map(({ vehicle }) => vehicle) } : null
}

/**
 * Returns the number of characters in which another vehicle's identifier differs from the text. If the text contains the identifier of
 * `best` exactly, the other identifier is compared with that whole part, with the text before it, and with the text after it. Otherwise, a
 * short identifier that is contained in the best identifier would count as an exact match.
 */
function distanceBeside<V>(other: Candidate<V>, best: Candidate<V>, text: string): number {
  if (best.off > 0 || other.off >= MIN_EDIT_DISTANCE_MARGIN) return other.off
  const from = text.indexOf(best.key)
  const to = from + best.key.length
  return Math.min(computeWeightedSubstringEditDistance(other.key, text, [], { from, to }), computeSubstringEditDistance(other.key, text.slice(0, from)), computeSubstringEditDistance(other.key, text.slice(to)))
}

/** Lists the vehicles whose last characters or parking space are in the text, because some labels and printed lists have only these. */
function listParts<V extends OcrCandidateVehicle>(lines: readonly (RecognizedLine | null)[], vehicles: readonly V[]): LabelTextMatch<V> {
  const read = lines.flatMap((line) => line?.text ?? [])
  const words = new Set([...read, ...read.flatMap((line) => line.split(/\s+/))].map(foldLookAlikes))
  const endings = [...words].filter((word) => word.length >= MIN_ENDING)
  const isNamed = ({ vin_number, parking_space }: V): boolean => {
    const key = foldLookAlikes(vin_number)
    return endings.some((word) => key.endsWith(word)) || words.has(foldLookAlikes(parking_space))
  }
  const named = words.size === 0 ? [] : vehicles.filter(isNamed)
  return named.length > 0 ? { kind: 'pick', vehicles: named.slice(0, MAX_LISTED_VEHICLES) } : { kind: 'none' }
}
