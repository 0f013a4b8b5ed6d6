import type { InspectionPace } from '@/api/types'

/** Returns the number of vehicles that these people inspect per hour in total. Rates that the server does not send to an operator count as 0. */
export const sumInspectionsPerHour = (people: InspectionPace['people']): number => people.reduce((sum, { per_hour: rate }) => sum + (rate ?? 0), 0)
