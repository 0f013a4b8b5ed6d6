import type { InspectionActivity } from '@/api/types'
import { addWorkingHours, countWorkingHours, getStartOfDay, inferWorkingHours, listWorkingPeriods, HOUR_MS, type WorkingHours } from './workingHours'

/**
 * Inspection work in one hour, which starts at `at` (in milliseconds since 1970). `inspected` and `wrong` are the changes in the numbers of
 * inspected and of defective vehicles, and may be negative. `saves` is the number of saves on the vehicle screen.
 */
export interface HourlyActivity {
  at: number
  inspected: number
  saves: number
  wrong: number
}

/** Point of the progress line: a time, and the number of vehicles inspected by that time. */
export interface ProgressPoint {
  at: number
  done: number
}

/** Earliest and latest estimate of the time at which the last vehicle is inspected, in milliseconds since 1970. */
export interface FinishTimeRange {
  earliest: number
  latest: number
}

/** Rate needed to meet the due date, in vehicles per working hour, and whether the forecast misses the due date. */
export interface RequiredRate {
  dueAt: number
  perHour: number
  isLate: boolean
}

export interface FinishForecast {
  hours: WorkingHours
  finish: FinishTimeRange | null
  need: RequiredRate | null
}

export const toHourlyActivity = ({ hours }: InspectionActivity): HourlyActivity[] =>
  hours.map(({ at, inspected, saves, found_wrong }) => ({ at: Date.parse(at), inspected, saves, wrong: found_wrong }))

/** Returns the hours in which vehicles were saved or the number of inspected vehicles changed. */
export const listWorkedHours = (activity: InspectionActivity): HourlyActivity[] =>
  toHourlyActivity(activity).filter(({ inspected, saves }) => inspected !== 0 || saves > 0)

/** Returns the worked hours, each with the number of vehicles inspected by the end of the hour. */
export function accumulateHourlyActivity(activity: InspectionActivity): (HourlyActivity & { done: number })[] {
  let done = activity.inspected_before
  return toHourlyActivity(activity).map((hour) => {
    done += hour.inspected
    return { ...hour, done }
  })
}

/**
 * Returns the points of the progress line, from the first hour with work since `from` until now. The line is flat in hours without work.
 */
export function listProgressPoints(activity: InspectionActivity, now: number, from = 0): ProgressPoint[] {
  const worked = accumulateHourlyActivity(activity).filter(({ at }) => at >= from)
  const points = worked.flatMap(({ at, inspected, done }): ProgressPoint[] => [{ at, done: done - inspected }, { at: Math.min(at + HOUR_MS, now), done }])
  return [...points, { at: now, done: activity.inspected }]
}

/**
 * Returns the points of the line that shows the progress needed to meet the due date. The line rises evenly during working hours and is
 * flat outside them. It is a single straight line if no working hours are left before the due date.
 */
export function listRequiredProgressPoints({ total, inspected }: InspectionActivity, dueAt: number, hours: WorkingHours, now: number): ProgressPoint[] {
  const points = [{ at: now, done: inspected }]
  const periods = listWorkingPeriods(now, dueAt, hours)
  const workingTime = periods.reduce((sum, { start, end }) => sum + end - start, 0)
  let done = inspected
  for (const { start, end } of periods) {
    points.push({ at: start, done })
    done += ((total - inspected) * (end - start)) / workingTime
    points.push({ at: end, done })
  }
  return [...points, { at: dueAt, done: total }]
}

/**
 * Returns the mean number of vehicles inspected per hour. If the current hour is included, only its elapsed part counts, but at least a
 * quarter of an hour.
 */
function meanPerHour(hours: HourlyActivity[], now: number): number {
  const length = hours.reduce((sum, { at }) => sum + Math.min(1, Math.max((now - at) / HOUR_MS, 0.25)), 0)
  return length === 0 ? 0 : hours.reduce((sum, { inspected }) => sum + inspected, 0) / length
}

/**
 * Returns the time at which the remaining `left` vehicles will be inspected, at `perHour` vehicles per working hour. Returns `null` for a
 * rate of 0, and when the time is too far in the future.
 */
export const estimateFinishTime = (left: number, perHour: number, hours: WorkingHours, now: number): number | null =>
  perHour > 0 ? addWorkingHours(now, left / perHour, hours) : null

/**
 * Returns the estimated end of a campaign and the rate needed to meet the due date. The estimated end is a range, computed with the
 * fastest and the slowest of three rates: the mean rate of all hours in `activity`, the mean rate of the last worked day, and the rate of
 * the last half hour (`pace`). Only working hours count.
 */
export function computeFinishForecast(activity: InspectionActivity, pace: number, due: string | null | undefined, now: number): FinishForecast {
  const worked = toHourlyActivity(activity).filter(({ inspected, saves }) => inspected > 0 || saves > 0)
  const hours = inferWorkingHours(worked.map(({ at }) => at))
  const left = activity.total - activity.inspected
  const day = getStartOfDay(worked.at(-1)?.at ?? 0)
  const rates = [meanPerHour(worked, now), meanPerHour(worked.filter(({ at }) => at >= day), now), pace].filter((rate) => rate > 0)
  const [earliest, latest] = left > 0 && rates.length > 0 ? [estimateFinishTime(left, Math.max(...rates), hours, now), estimateFinishTime(left, Math.min(...rates), hours, now)] : [null, null]
  const finish = earliest === null || latest === null ? null : { earliest, latest }
  return { hours, finish, need: due && left > 0 ? needFor(Date.parse(due), left, now, hours, finish) : null }
}

function needFor(dueAt: number, left: number, now: number, hours: WorkingHours, finish: FinishTimeRange | null): RequiredRate {
  const time = countWorkingHours(now, dueAt, hours)
  return { dueAt, perHour: time > 0 ? Math.ceil(left / time) : 0, isLate: dueAt <= now || time === 0 || (finish !== null && finish.earliest > dueAt) }
}
