import { isRecord } from '@/lib/stored'

export const VEHICLE = 'id# status$ version#'
export const CAMPAIGN = 'id# name$ status$'
export const BULK = 'updated# skipped* not_found*'

const holds: Record<string, (value: unknown) => boolean> = {
  '#': (value) => typeof value === 'number',
  $: (value) => typeof value === 'string',
  '*': Array.isArray,
}

/**
 * Whether data has a shape: names with `#` for a number, `$` for a text, `*` for a list; a leading `*` means a list of such records.
 *
 * A hotel's network answers calls with a page of its own, which is JSON now and then.
 */
export function isShaped(data: unknown, shape: string): boolean {
  const isList = shape.startsWith('*')
  const fields = shape.slice(isList ? 1 : 0).split(' ').filter(Boolean)
  const isOne = (value: unknown) => isRecord(value) && fields.every((field) => holds[field.slice(-1)]?.(value[field.slice(0, -1)]))
  return isList ? Array.isArray(data) && data.every(isOne) : isOne(data)
}
