import type { InspectionActivity } from '@/api/types'
import { formatCount } from '@/lib/format'
import type { DateFormatters } from './dateFormatters'
import { listWorkedHours } from './forecast'
import type { DashboardTranslateFunction } from './text'
import { getStartOfDay } from './workingHours'

/** Last day on which vehicles were inspected: a time within it, its name within a sentence, and its number of inspected vehicles as text. */
export interface LastWorkedDay {
  at: number
  name: string
  inspected: string
}

/** Returns the last day on which vehicles were inspected; null before the first inspection. */
export function findLastWorkedDay(activity: InspectionActivity, now: number, formats: DateFormatters, t: DashboardTranslateFunction): LastWorkedDay | null {
  const worked = listWorkedHours(activity)
  const at = worked.at(-1)?.at
  if (at === undefined) return null
  const start = getStartOfDay(at)
  const inspected = worked.filter((hour) => getStartOfDay(hour.at) === start).reduce((all, hour) => all + hour.inspected, 0)
  return { at, name: start === getStartOfDay(now) ? t('chart.today').toLocaleLowerCase() : formats.day(at), inspected: formatCount(inspected) }
}
