const DELIMITER = ';' // the list separator of spreadsheet programs in Brazil
const MARK = '\ufeff' // marks the file as UTF-8 for spreadsheet programs
const FORMULA = /^[=+\-@\t\r]/

/** Returns a CSV cell. As in the server's exports, a text that a spreadsheet program would treat as a formula gets a leading apostrophe. */
function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[";\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns the text of a CSV file with one line per row. */
export const buildCsv = (rows: readonly (readonly string[])[]): string => MARK + rows.map((cells) => `${cells.map(cellOf).join(DELIMITER)}\r\n`).join('')
