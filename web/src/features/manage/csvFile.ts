import { ApiProblem } from '@/api/apiProblem'
import type { CsvUpdateResult } from '@/api/types'
import { MAX_WORKBOOK_BYTES } from '@/lib/workbookFile'
import { isRecord } from '@/lib/json'
import type { ManageTextKey } from './text'

export type CsvLineError = CsvUpdateResult['errors'][number]

/** Returns the text key of the reason why a chosen file is rejected: wrong extension or size. Returns `null` for a valid CSV file. */
export function findCsvFileError({ name, size }: { name: string; size: number }): ManageTextKey | null {
  if (!name.toLowerCase().endsWith('.csv')) return 'csv.onlyCsv'
  return size > MAX_WORKBOOK_BYTES ? 'csv.tooLarge' : null
}

/** Returns whether the changes of a validated CSV file can be executed: the file names at least one vehicle and has no errors. */
export const canApplyCsv = ({ vehicles, total_errors }: CsvUpdateResult): boolean => vehicles > 0 && total_errors === 0

const isCsvError = (value: unknown): value is CsvLineError => isRecord(value) && typeof value.line === 'number' && typeof value.message === 'string'

/** Returns the line errors contained in the server's rejection of a CSV file. */
export const getCsvLineErrors = (error: unknown): CsvLineError[] => (error instanceof ApiProblem ? error.details.filter(isCsvError) : [])
