import type { Key } from './text'

export const LARGEST = 5_242_880
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Why this file cannot be a campaign workbook, or null when it may be one. */
export function complaintAbout(file: { name: string; type: string; size: number }): Key | null {
  const named = file.name.toLowerCase().endsWith('.xlsx')
  if (!named || (file.type !== '' && file.type !== XLSX)) return 'import.onlyXlsx'
  return file.size > LARGEST ? 'import.tooLarge' : null
}
