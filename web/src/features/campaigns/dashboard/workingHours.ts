/** Length of an hour in milliseconds. */
export const HOUR_MS = 3_600_000
const DAY = 24 * HOUR_MS
/** Difference in milliseconds between UTC and the displayed time, which is UTC-3 on all pages (see `lib/format`). */
const OFFSET = 3 * HOUR_MS
/**
 * Default working hours: `FIRST` is the first working hour of the day, `END` the hour after the last one. Used until enough distinct hours
 * with work are known.
 */
const [FIRST, END] = [7, 17]
/**
 * Number of distinct hours of the day with recorded work at which the default working hours are dropped. Below this number, the working
 * hours include the default ones.
 */
const MIN_WORKED_HOURS = 4
/** Length in hours of the period in which working hours are counted. Working hours after the end of this period are ignored. */
const MAX_HOURS = 24 * 366

/** Hours of the day in which people work: `first` is the first working hour, `end` the hour after the last one. */
export interface WorkingHours {
  first: number
  end: number
}

/** Returns the hour of the day at UTC-3, from 0 to 23, of a time in milliseconds since 1970. */
export const getHourOfDay = (at: number): number => Math.floor((((at - OFFSET) % DAY) + DAY) % DAY / HOUR_MS)
/** Returns the start of the day (at UTC-3) that contains a time. Both are in milliseconds since 1970. */
export const getStartOfDay = (at: number): number => at - ((((at - OFFSET) % DAY) + DAY) % DAY)
/** Returns a date whose UTC fields are the local date and time (at UTC-3) of a time in milliseconds since 1970. */
export const toLocalDate = (at: number): Date => new Date(at - OFFSET)
const isWorking = (at: number, { first, end }: WorkingHours) => getHourOfDay(at) >= first && getHourOfDay(at) < end

/**
 * Returns the usual working hours, derived from the hours in which people worked. `worked` contains the start times of these hours. While
 * too few hours are known, the result includes the default working hours.
 */
export function inferWorkingHours(worked: number[]): WorkingHours {
  const seen = new Set(worked.map(getHourOfDay))
  const [low, high] = [Math.min(...seen, 23), Math.max(...seen, 0) + 1]
  if (seen.size >= MIN_WORKED_HOURS) return { first: low, end: high }
  return seen.size === 0 ? { first: FIRST, end: END } : { first: Math.min(low, FIRST), end: Math.max(high, END) }
}

/**
 * Calls `visit` for each working hour after the time `from`, including the rest of a working hour in progress. `visit` receives the start
 * time and the length (in hours) of the working hour, and returns true to stop.
 */
function walk(from: number, hours: WorkingHours, visit: (at: number, length: number) => boolean): void {
  let at = from
  for (let step = 0; step < MAX_HOURS; step += 1) {
    const next = (Math.floor(at / HOUR_MS) + 1) * HOUR_MS
    if (isWorking(at, hours) && visit(at, (next - at) / HOUR_MS)) return
    at = next
  }
}

/** Returns the time `amount` working hours after `from`. Returns null when that time is more than `MAX_HOURS` hours after `from`. */
export function addWorkingHours(from: number, amount: number, hours: WorkingHours): number | null {
  let [left, end]: [number, number | null] = [amount, null]
  walk(from, hours, (at, length) => {
    if (left <= length) end = at + left * HOUR_MS
    left -= length
    return end !== null
  })
  return end
}

/** Period of uninterrupted working hours, from `start` to `end` in milliseconds since 1970. */
export interface WorkingPeriod {
  start: number
  end: number
}

/** Returns the working periods between two times, in order of time. */
export function listWorkingPeriods(from: number, to: number, hours: WorkingHours): WorkingPeriod[] {
  const periods: WorkingPeriod[] = []
  walk(from, hours, (at, length) => {
    if (at >= to) return true
    const [last, end] = [periods.at(-1), Math.min(at + length * HOUR_MS, to)]
    if (last?.end === at) last.end = end
    else periods.push({ start: at, end })
    return false
  })
  return periods
}

/** Returns the number of working hours between two times. */
export const countWorkingHours = (from: number, to: number, hours: WorkingHours): number =>
  listWorkingPeriods(from, to, hours).reduce((sum, { start, end }) => sum + (end - start) / HOUR_MS, 0)
