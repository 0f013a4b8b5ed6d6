import { getStartOfDay, HOUR_MS } from './workingHours'

const MAX_LINES = 4

/** Returns the values at which a chart from 0 to `top` has its grid lines, including `top`. */
export function listAxisTicks(top: number): number[] {
  const rough = Math.max(top, 1) / (MAX_LINES - 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough)
  const ticks: number[] = []
  for (let at = 0; at < top * 0.9; at += step) ticks.push(at)
  return [...ticks, top]
}

/** Returns a function that maps values from `low` to `high` linearly to positions from `start` to `end`. */
export const createLinearScale = (low: number, high: number, start: number, end: number) => (value: number) =>
  Math.round((start + ((value - low) / Math.max(high - low, 1)) * (end - start)) * 10) / 10

const DAY_MS = 24 * HOUR_MS
/** Possible distances in hours between two labels of a time axis. Each is a divisor of 24, so that every midnight has a label. */
const HOUR_STEPS = [1, 2, 3, 4, 6, 8, 12, 24]
/** Maximum length in days of a time axis that labels hours. A longer axis labels only days. */
const MAX_DAYS_OF_HOURS = 2

interface TimeTick {
  at: number
  /** Whether the label is the date instead of the time of day. */
  isDate: boolean
}

/**
 * Returns the labelled times of an axis with room for about `most` labels: whole hours on a short axis, else days. On a short axis that covers
 * parts of two days, midnight is labelled with the date.
 */
export function listTimeTicks(begin: number, end: number, most: number): TimeTick[] {
  const isHourly = end - begin <= MAX_DAYS_OF_HOURS * DAY_MS
  const hours = Math.ceil((end - begin) / HOUR_MS / Math.max(1, most))
  const step = isHourly ? (HOUR_STEPS.find((size) => size >= hours) ?? 24) : 24 * Math.ceil(hours / 24)
  const isOneDay = getStartOfDay(begin) === getStartOfDay(end - 1)
  const marks: TimeTick[] = []
  for (let at = getStartOfDay(begin); at <= end; at += step * HOUR_MS) {
    if (at >= begin) marks.push({ at, isDate: !isOneDay && at === getStartOfDay(at) })
  }
  return marks
}
