import { listHypothesesForStartCharacter, type CodeHypothesis } from './codeHypotheses'
import { chooseStartCharacterCandidates, findStartCharacterCandidates, type MultiScaleProfile, type BlurredTemplates } from './startCharacterCandidates'

/**
 * Cost below which a candidate character sequence (hypothesis) is good enough that no further start characters are tried. 0 is a perfect
 * match.
 */
const GOOD_COST = 0.06

/** Returns up to `most` candidate character sequences along the brightness profile of a barcode, the best first. */
export function findCodeHypotheses(lines: readonly MultiScaleProfile[], searches: readonly (readonly BlurredTemplates[])[], most: number): CodeHypothesis[] {
  const starts = chooseStartCharacterCandidates(lines.flatMap((line) => searches.flatMap((search) => findStartCharacterCandidates(line, search))))
  const all: CodeHypothesis[] = []
  for (const start of starts) {
    all.push(...listHypothesesForStartCharacter(start))
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
