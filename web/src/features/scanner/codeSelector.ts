import type { MatchGrade } from '../../lib/scanner'
import type { DecodedCode, DoubtfulCode } from './decodedCode'
import type { DecodedFrame } from './decoder'

/** Number of further frames that are searched for a better match after a code that does not fully match an identifier. */
const EXTRA_FRAMES = 2
/** Number of further frames that are searched for a better match while codes in view may still be undetected or unconfirmed. */
const EXTRA_FRAMES_UNCONFIRMED = 6

const GRADES: Record<MatchGrade, number> = { none: 0, part: 1, full: 2 }
const gradeOf = (fit: boolean | MatchGrade): number => (typeof fit === 'boolean' ? (fit ? GRADES.full : GRADES.none) : GRADES[fit])

/**
 * Creates a selector of the best matching code in view, so that a neighbouring label does not win by chance. Texts for which `isRefused`
 * returns true are never chosen.
 */
export function createCodeSelector(gradeMatch: (text: string) => boolean | MatchGrade = () => true, isRefused: (text: string) => boolean = () => false) {
  /** Returns whether a doubtful code is confirmed: its text is in the campaign's vehicle list, and none of its alternative texts is. */
  const confirms = ({ code, alternatives }: DoubtfulCode) => gradeMatch(code.text) === 'full' && alternatives.every((text) => gradeMatch(text) !== 'full')
  let best: { code: DecodedCode; grade: number } | null = null
  let pictures = 0
  return {
    /**
     * Returns the code to report, or `null` while the search continues. `fitting` states whether the code matches a vehicle at least in
     * part. If `several` is true, all codes of the next frame must be decoded.
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
