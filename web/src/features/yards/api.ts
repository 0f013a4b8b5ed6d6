import { useQuery } from '@tanstack/react-query'
import { allCampaignsQuery, allYardsQuery, yardCountsQuery } from '@/api/queries'
import type { Campaign, Yard, YardCount } from '@/api/types'
import { isShownYard, naturally } from '@/lib/yards'

export interface Tile {
  id: number
  name: string
  total: number
  inspected: number
}

const ofYard = (yard: Yard): Tile => ({ id: yard.id, name: yard.name, total: yard.vehicles_count, inspected: yard.vehicles_inspected_count })
const ofCount = (count: YardCount): Tile => ({ id: count.yard_id, name: count.yard_name, total: count.total_vehicles, inspected: count.inspected_vehicles })

export const useCampaignChoices = () => useQuery(allCampaignsQuery)

/** The yards to pick from: every one, or those where the chosen campaign has vehicles. */
export function useTiles(campaign: Campaign | undefined, waiting: boolean) {
  const every = useQuery({ ...allYardsQuery, enabled: !waiting && campaign === undefined })
  const counted = useQuery({ ...yardCountsQuery(campaign?.name ?? ''), enabled: campaign !== undefined })
  const source = campaign === undefined ? every : counted
  const tiles = campaign === undefined ? every.data?.map(ofYard) : counted.data?.map(ofCount).filter(({ total }) => total > 0)
  return { tiles: tiles?.filter(isShownYard).toSorted((a, b) => naturally(a.name, b.name)), isError: source.isError, error: source.error, refetch: source.refetch }
}

/** A tile's colour by how many vehicles stand there. */
export function colourOf(total: number): 'aqua' | 'sky' | 'seafoam' | 'slate' {
  if (total > 5000) return 'aqua'
  if (total > 1000) return 'sky'
  return total < 500 ? 'slate' : 'seafoam'
}
