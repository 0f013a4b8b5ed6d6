import type { ManageTextKey } from './text'

/** Maximum number of lines in one bulk request. */
export const MAX_BULK_LINES = 50_000

const tidy = (line: string) => line.trim().replace(/\s+/g, ' ')

/** Reads the VINs from a pasted list, one per line. Collapses whitespace and drops empty lines. */
export const parseVinLines = (text: string): string[] => text.split(/\r?\n/).map(tidy).filter((line) => line !== '')

export interface ParkingSpaceRow {
  vin: string
  parking_space: string
}
export interface InvalidLine {
  line: number
  problem: ManageTextKey
}

/**
 * Returns the text key of the problem of a line, or `null` if the line contains a VIN and a parking space. A line that begins with a tab
 * has no VIN, because its first spreadsheet cell is empty.
 */
function problemOf(raw: string, tokens: string[]): ManageTextKey | null {
  if (raw.startsWith('\t')) return 'bulk.noVin'
  if (tokens.length < 2) return 'bulk.invalid'
  return tokens.length < 3 ? 'bulk.noSpace' : null
}

/**
 * Splits each line of a pasted list into a VIN and a parking space. The VIN is the first two words, such as `HB20 000001`, and the parking
 * space is the rest.
 */
export function parseParkingSpaceLines(text: string): { rows: ParkingSpaceRow[]; wrong: InvalidLine[] } {
  const rows: ParkingSpaceRow[] = []
  const wrong: InvalidLine[] = []
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
