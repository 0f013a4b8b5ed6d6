import { Problem } from '@/api/problem'
import type { CsvResult } from '@/api/types'
import { LARGEST } from '@/lib/files'
import { isRecord } from '@/lib/stored'
import type { ManageKey } from './text'

export type CsvError = CsvResult['errors'][number]

/** Why this file cannot be a list of changes, or null when it may be one. */
export function complaintAboutCsv({ name, size }: { name: string; size: number }): ManageKey | null {
  if (!name.toLowerCase().endsWith('.csv')) return 'csv.onlyCsv'
  return size > LARGEST ? 'csv.tooLarge' : null
}

/** A checked file may be executed when it names a vehicle and nothing in it is wrong. */
export const mayExecute = ({ vehicles, total_errors }: CsvResult): boolean => vehicles > 0 && total_errors === 0

const isCsvError = (value: unknown): value is CsvError => isRecord(value) && typeof value.line === 'number' && typeof value.message === 'string'

/** The wrong lines that came with a refusal. */
export const errorsOf = (error: unknown): CsvError[] => (error instanceof Problem ? error.details.filter(isCsvError) : [])
