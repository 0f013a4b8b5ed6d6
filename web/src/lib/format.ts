import { createLazyGetter } from './createLazyGetter'

const ZONE_OFFSET_MS = -3 * 3_600_000

/**
 * Returns [year, month, day, time of day] at UTC-3, which has no daylight saving. Does not use `Intl`, because creating its formatters
 * would delay the first page.
 */
const splitLocalTime = (at: string | Date): string[] => new Date(new Date(at).getTime() + ZONE_OFFSET_MS).toISOString().split(/[-T.]/)

/** Formats the date at UTC-3, as `27/11/2026`. */
export function formatDate(at: string | Date): string {
  const [year, month, day] = splitLocalTime(at)
  return `${day}/${month}/${year}`
}

const HOURS_AND_MINUTES = 5

/** Formats the time of day at UTC-3 without seconds, as `14:05`. */
export const formatHourMinute = (at: string | Date): string => formatTime(at).slice(0, HOURS_AND_MINUTES)

/** Formats the time of day at UTC-3, as `14:05:09`. */
export const formatTime = (at: string | Date): string => splitLocalTime(at)[3] ?? ''

/**
 * Formats a time at UTC-3, as `27/11/2026 ás 14:05:09`, for the API calls that log a sign-in or a page view. The product specification
 * prescribes this format.
 */
export const formatLogTimestamp = (at: Date): string => `${formatDate(at)} ás ${formatTime(at)}`

/** Formats a whole number with a narrow space between groups of three digits, as `1 240`, in every language. */
export const formatCount = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, '\u202f')

const tenths = createLazyGetter(() => new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 }))

/** Formats a size in megabytes, as `1,2 MB`. Small sizes are shown as `0,1 MB`. */
export const formatMegabytes = (bytes: number): string => `${tenths().format(Math.max(bytes, 50_000) / 1_000_000)} MB`
