import type { InspectionPace } from '@/api/types'

/**
 * Returns the number of vehicles that these people inspect per hour in total. A missing rate counts as 0: operators do not receive the
 * rates of other people.
 */
export const sumInspectionsPerHour = (people: InspectionPace['people']): number => people.reduce((sum, { per_hour: rate }) => sum + (rate ?? 0), 0)
