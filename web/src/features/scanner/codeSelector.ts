import type { MatchGrade } from '../../lib/scanner'
import type { DecodedCode, DecodedFrame, DoubtfulCode } from './decoder'

/** Number of further frames that are searched for a better match, after a code that matches an identifier only in part or not at all. */
const EXTRA_FRAMES = 2
/** Number of further frames searched for a better match while a code in view still needs confirmation. */
const EXTRA_FRAMES_UNCONFIRMED = 6

const GRADES: Record<MatchGrade, number> = { none: 0, part: 1, full: 2 }
const gradeOf = (fit: boolean | MatchGrade): number => (typeof fit === 'boolean' ? (fit ? GRADES.full : GRADES.none) : GRADES[fit])

/**
 * Chooses the best matching code among those in view, so that a neighbouring label does not win by chance. A text that was already reported
 * as matching no vehicle and is still in view is never chosen; the search for other codes continues.
 */
export function createCodeSelector(gradeMatch: (text: string) => boolean | MatchGrade = () => true, isRefused: (text: string) => boolean = () => false) {
  /** Returns whether the campaign's list contains the doubtful text, and none of its alternatives, which are nearly as likely. */
  const confirms = ({ code, alternatives }: DoubtfulCode) => gradeMatch(code.text) === 'full' && alternatives.every((text) => gradeMatch(text) !== 'full')
  let best: { code: DecodedCode; grade: number } | null = null
  let pictures = 0
  return {
    /**
     * Returns the code to report, or `null` while the search continues. `fitting` is whether the code matches a vehicle, fully or in
     * part; `several` requests all codes of the next frame.
     */
    choose({ codes, hasUnconfirmed, doubtful }: DecodedFrame): { code: DecodedCode | null; fitting?: boolean; several: boolean } {
      if (best !== null) pictures++
      for (const code of doubtful !== undefined && confirms(doubtful) ? [...codes, doubtful.code] : codes) {
        if (isRefused(code.text)) continue
        const grade = gradeOf(gradeMatch(code.text))
        if (best === null || grade > best.grade) best = { code, grade }
      }
      if (best === null) return { code: null, several: codes.length > 0 }
      const isOver = pictures >= (hasUnconfirmed ? EXTRA_FRAMES_UNCONFIRMED : EXTRA_FRAMES)
      if (best.grade < GRADES.full && !isOver) return { code: null, several: true }
      const { code, grade } = best
      best = null
      pictures = 0
      return { code, fitting: grade > GRADES.none, several: false }
    },
  }
}
