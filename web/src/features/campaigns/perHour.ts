import type { InspectionPace } from '@/api/types'

/** Returns how many vehicles several people inspect per hour together. Rates that the server does not send to an operator count as 0. */
export const sumPerHour = (people: InspectionPace['people']): number => people.reduce((sum, { per_hour: rate }) => sum + (rate ?? 0), 0)
