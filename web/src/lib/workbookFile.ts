import type { TextKey } from './text'

/** Maximum size in bytes of a workbook that can be uploaded. */
export const MAX_WORKBOOK_BYTES = 5_242_880
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Returns the text key of the reason why a file cannot be a campaign workbook, or null for a valid file. */
export function findWorkbookFileError(file: { name: string; type: string; size: number }): TextKey | null {
  const named = file.name.toLowerCase().endsWith('.xlsx')
  if (!named || (file.type !== '' && file.type !== XLSX)) return 'file.onlyXlsx'
  return file.size > MAX_WORKBOOK_BYTES ? 'file.tooLarge' : null
}
