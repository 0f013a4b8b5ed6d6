import { toIdentifierKey } from '@/lib/identifier'

export interface FoundVehicle {
  id: number
  vin: string
  space: string
  status: string
  inspected: boolean
  campaign: string
}

/** Number of best matches that are chosen from each campaign first. The next best matches of all campaigns fill the remaining places. */
const TURN = 3
/** Minimum length of a typed text that is compared with the end of a VIN. People usually read out the last four characters. */
const MIN_ENDING = 4

/**
 * Returns the rank of a vehicle that matches a typed text; a lower number is a better match.
 *
 * - 0: The text equals the parking space, the VIN or a part of the VIN, or is the end of the VIN.
 * - 1: The parking space, the VIN or a part of the VIN begins with the text.
 * - 2: Every other match.
 */
function rank({ vin, space }: FoundVehicle, key: string): number {
  const whole = toIdentifierKey(vin)
  const words = [toIdentifierKey(space), whole, ...vin.split(/[ -]/).map(toIdentifierKey)]
  if (words.includes(key) || (key.length >= MIN_ENDING && whole.endsWith(key))) return 0
  return words.some((word) => word.startsWith(key)) ? 1 : 2
}

/**
 * Returns at most `limit` of the vehicles found in all campaigns, best match first. Equally good matches have the order of their
 * campaigns. The `TURN` best matches of each campaign are chosen before all other vehicles.
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
