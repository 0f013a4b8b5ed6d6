import type { Campaign, InspectionActivity, InspectionPace } from '@/api/types'
import { useCurrentTime } from '@/lib/timeAgo'
import { computeFinishForecast, type FinishForecast } from './dashboard/forecast'

/**
 * Placeholder for the activity of a campaign whose hourly counts are not loaded yet. `useFinishForecast` sets `total` to the number of
 * vehicles left.
 */
const NO_ACTIVITY: InspectionActivity = { hours: [], people: [], yards: [], total: 0, inspected: 0, inspected_before: 0 }

/** Returns the forecast of a campaign, updated as time passes. Uses only the current pace until the hourly counts are loaded. */
export function useFinishForecast({ due_at }: Campaign, activity: InspectionActivity | undefined, pace: InspectionPace | undefined): FinishForecast {
  const now = useCurrentTime()
  return computeFinishForecast(activity ?? { ...NO_ACTIVITY, total: pace?.remaining ?? 0 }, pace?.people.length ? pace.per_hour : 0, due_at, now)
}
