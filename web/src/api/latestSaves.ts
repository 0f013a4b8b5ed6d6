import type { InspectionPace } from './types'

/** A person at work in a campaign, with the yard and the time of the latest save there. */
type ActivePerson = InspectionPace['people'][number]

/** Returns the latest save of each person across several campaigns, as a map from login name (HMC) to yard and time of that save. */
export function findLatestSaveByPerson(paces: InspectionPace[]): Map<string, ActivePerson> {
  const latest = new Map<string, ActivePerson>()
  for (const person of paces.flatMap(({ people }) => people)) {
    const known = latest.get(person.hmc)
    if (known === undefined || Date.parse(known.last_at) < Date.parse(person.last_at)) latest.set(person.hmc, person)
  }
  return latest
}
