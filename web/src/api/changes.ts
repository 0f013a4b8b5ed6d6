import { raw } from './client'
import type { ListedVehicle } from './types'

/** What changed in a campaign since a revision; `whole` says that the list is to be fetched anew. */
interface Changes {
  revision: number
  vehicles: ListedVehicle[]
  removed: number[]
  whole: boolean
}

export async function changesOf(campaign: number, since: number): Promise<Changes> {
  return (await (await raw(`/vehicles/campaign/${campaign}/changes?since=${since}`)).json()) as Changes
}
