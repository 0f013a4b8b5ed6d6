import { listHypothesesFromStart, type CodeHypothesis } from './codeHypotheses'
import { chooseStartCandidates, findStartCandidates, type DirectedProfile, type PatternSearch } from './startCandidates'

/** Mean cost of a hypothesis (character sequence) that ends the search: below this cost, no further start character is tried. */
const GOOD_COST = 0.06

/** Returns the most plausible character sequences along a brightness profile of a barcode, the best first. */
export function findCodeHypotheses(lines: readonly DirectedProfile[], searches: readonly (readonly PatternSearch[])[], most: number): CodeHypothesis[] {
  const starts = chooseStartCandidates(lines.flatMap((line) => searches.flatMap((search) => findStartCandidates(line, search))))
  const all: CodeHypothesis[] = []
  for (const start of starts) {
    all.push(...listHypothesesFromStart(start))
    if (all.some(({ cost }) => cost < GOOD_COST)) break
  }
  const found: CodeHypothesis[] = []
  for (const one of all.toSorted((a, b) => a.cost - b.cost)) {
    const isNew = found.every(({ symbology, values }) => symbology.format !== one.symbology.format || values.length !== one.values.length || values.some((value, place) => value !== one.values[place]))
    if (isNew) found.push(one)
    if (found.length >= most) break
  }
  return found
}
