import type { ManageKey } from './text'

/** How many lines one call takes. */
export const MOST_LINES = 50_000

const tidy = (line: string) => line.trim().replace(/\s+/g, ' ')

/** The identifiers of a pasted list: one a line, blanks collapsed, empty lines dropped. */
export const vinsIn = (text: string): string[] => text.split(/\r?\n/).map(tidy).filter((line) => line !== '')

export interface SpaceRow {
  vin: string
  parking_space: string
}
export interface WrongLine {
  line: number
  problem: ManageKey
}

/** Why a line is no identifier with a parking space, or null. A line that begins with a tab has an empty first cell. */
function problemOf(raw: string, tokens: string[]): ManageKey | null {
  if (raw.startsWith('\t')) return 'bulk.noVin'
  if (tokens.length < 2) return 'bulk.invalid'
  return tokens.length < 3 ? 'bulk.noSpace' : null
}

/** The rows of a pasted list: two words of identifier, the rest the parking space. */
export function spacesIn(text: string): { rows: SpaceRow[]; wrong: WrongLine[] } {
  const rows: SpaceRow[] = []
  const wrong: WrongLine[] = []
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = tidy(raw)
    if (line === '') continue
    const tokens = line.split(' ')
    const problem = problemOf(raw, tokens)
    if (problem === null) rows.push({ vin: tokens.slice(0, 2).join(' '), parking_space: tokens.slice(2).join(' ') })
    else wrong.push({ line: index + 1, problem })
  }
  return { rows, wrong }
}
