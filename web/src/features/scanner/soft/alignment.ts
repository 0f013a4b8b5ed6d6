import { followPaths, type Hypothesis } from './paths'
import { chooseStarts, findStarts, type ProfileDirection, type PatternSearch } from './starts'

/** Mean cost of a hypothesis (character sequence) that ends the search: below this cost, no further start character is tried. */
const GOOD_COST = 0.06

/** Returns the most plausible character sequences along a brightness profile of a barcode, the best first. */
export function findHypotheses(lines: readonly ProfileDirection[], searches: readonly (readonly PatternSearch[])[], most: number): Hypothesis[] {
  const starts = chooseStarts(lines.flatMap((line) => searches.flatMap((search) => findStarts(line, search))))
  const all: Hypothesis[] = []
  for (const start of starts) {
    all.push(...followPaths(start))
    if (all.some(({ cost }) => cost < GOOD_COST)) break
  }
  const found: Hypothesis[] = []
  for (const one of all.toSorted((a, b) => a.cost - b.cost)) {
    const isNew = found.every(({ symbology, values }) => symbology.format !== one.symbology.format || values.length !== one.values.length || values.some((value, place) => value !== one.values[place]))
    if (isNew) found.push(one)
    if (found.length >= most) break
  }
  return found
}
