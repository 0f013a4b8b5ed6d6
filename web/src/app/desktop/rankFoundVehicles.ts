import { toIdentifierKey } from '@/lib/identifier'

export interface FoundVehicle {
  id: number
  vin: string
  space: string
  status: string
  inspected: boolean
  campaign: string
}

/** Maximum number of vehicles that one campaign gives while vehicles of other campaigns wait for a place. */
const TURN = 3
/** Minimum number of typed characters that are compared with the end of a VIN. People usually read out the last four characters. */
const MIN_ENDING = 4

/** Returns how well a vehicle matches a typed text: 0 for an exact space or a whole part of the VIN, 1 for a beginning, 2 for the rest. */
function rank({ vin, space }: FoundVehicle, key: string): number {
  const whole = toIdentifierKey(vin)
  const words = [toIdentifierKey(space), whole, ...vin.split(/[ -]/).map(toIdentifierKey)]
  if (words.includes(key) || (key.length >= MIN_ENDING && whole.endsWith(key))) return 0
  return words.some((word) => word.startsWith(key)) ? 1 : 2
}

/**
 * Chooses the vehicles to show from the vehicles found in each campaign, best match first. Among equal matches, the order of the campaigns
 * decides. A campaign gives at most `TURN` vehicles until every campaign had its turn.
 */
export function rankFoundVehicles(found: FoundVehicle[][], text: string, limit: number): FoundVehicle[] {
  const key = toIdentifierKey(text)
  const hits = found
    .flatMap((vehicles, campaign) => vehicles.map((vehicle) => ({ vehicle, campaign, rank: rank(vehicle, key) })))
    .toSorted((a, b) => a.rank - b.rank || a.campaign - b.campaign)
  const given = found.map(() => 0)
  const first = hits.filter(({ campaign }) => {
    given[campaign] = (given[campaign] ?? 0) + 1
    return (given[campaign] ?? 0) <= TURN
  })
  const chosen = new Set([...first, ...hits.filter((hit) => !first.includes(hit))].slice(0, limit))
  return hits.filter((hit) => chosen.has(hit)).map(({ vehicle }) => vehicle)
}
