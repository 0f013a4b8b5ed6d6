import { isRecord } from '@/lib/json'

export const VEHICLE_REQUIRED_FIELDS = 'id# status$ version#'
export const CAMPAIGN_REQUIRED_FIELDS = 'id# name$ status$'
export const BULK_RESULT_REQUIRED_FIELDS = 'updated# skipped* not_found*'

const checks: Record<string, (value: unknown) => boolean> = {
  '#': (value) => typeof value === 'number',
  $: (value) => typeof value === 'string',
  '*': Array.isArray,
}

/**
 * Returns whether data has the fields of a shape such as `id# name$ rows*`: `#` marks a number, `$` a text, `*` a list. A shape that
 * begins with `*` describes a list of records. Used to detect responses of captive portals, which may be JSON too.
 */
export function hasRequiredFields(data: unknown, shape: string): boolean {
  const isList = shape.startsWith('*')
  const fields = shape.slice(isList ? 1 : 0).split(' ').filter(Boolean)
  const isOne = (value: unknown) => isRecord(value) && fields.every((field) => checks[field.slice(-1)]?.(value[field.slice(0, -1)]))
  return isList ? Array.isArray(data) && data.every(isOne) : isOne(data)
}
