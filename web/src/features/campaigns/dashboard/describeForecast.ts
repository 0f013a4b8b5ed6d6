import type { InspectionActivity } from '@/api/types'
import { formatCount } from '@/lib/format'
import type { FinishTimeRange, FinishForecast } from './forecast'
import type { DateFormatters } from './dateFormatters'
import type { DashboardTranslateFunction } from './text'

const ROUNDED_MS = 600_000

/** Formats the estimated end as a time range, whose ends are rounded outwards to ten minutes. A single minute would claim a precision that no estimate has. */
export function formatFinishTimeRange({ earliest, latest }: FinishTimeRange, formats: DateFormatters, now: number, t: DashboardTranslateFunction): string {
  const first = Math.floor(earliest / ROUNDED_MS) * ROUNDED_MS
  const last = Math.max(Math.ceil(latest / ROUNDED_MS) * ROUNDED_MS, first + ROUNDED_MS)
  const isOneDay = formats.shortDay(first) === formats.shortDay(last)
  return t('chart.fromTo', { from: formats.moment(first, now), to: isOneDay ? formats.time(last) : formats.moment(last, now) })
}

/**
 * Returns a sentence with the inspected and total vehicles and, if known, the estimated end. The sentence is shown above the progress
 * chart and is the label of the chart for screen readers.
 */
export function describeProgress(t: DashboardTranslateFunction, { total, inspected }: InspectionActivity, { finish }: FinishForecast, formats: DateFormatters, now: number): string {
  const counts = { done: formatCount(inspected), total: formatCount(total) }
  if (inspected >= total) return t('chart.allDone', counts)
  return finish === null ? t('chart.done', counts) : t('chart.doneAbout', { ...counts, when: formatFinishTimeRange(finish, formats, now, t) })
}

/**
 * Returns a sentence about the due date: the pace needed to meet the due date, that no working hours are left, or that the due date has
 * passed. Returns an empty text without a due date, and when all vehicles are inspected.
 */
export function describeRequiredRate(t: DashboardTranslateFunction, { need, hours }: FinishForecast, pace: number, formats: DateFormatters, now: number): string {
  if (need === null) return ''
  const when = formats.moment(need.dueAt, now)
  if (need.perHour === 0) return t(need.dueAt > now ? 'chart.noHoursLeft' : 'chart.overdue', { when })
  const words = { n: formatCount(need.perHour), when, pace: formatCount(Math.round(pace)), first: hours.first, end: hours.end }
  return t(need.isLate ? 'chart.needsLate' : 'chart.needs', words)
}
