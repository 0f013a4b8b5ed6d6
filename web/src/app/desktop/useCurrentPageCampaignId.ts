import { queryKeys } from '@/api/queryKeys'
import type { Vehicle } from '@/api/types'
import { parseId, useQueryParams } from '@/lib/route'
import { useCachedQueryData } from './useCachedQueryData'

/** First path segments of the pages whose second path segment is the id of a campaign. */
const CAMPAIGN_PAGES = new Set(['campaign', 'campaign-list'])

/** Returns the id of the campaign to which the current page belongs, or null. The campaign of a vehicle is known once the vehicle is loaded. */
export function useCurrentPageCampaignId(path: string): number | null {
  const [, section = '', part = ''] = path.split('/')
  const id = parseId(part)
  const vehicle = useCachedQueryData<Vehicle>(queryKeys.vehicle(id ?? 0, parseId(useQueryParams().get('yard'))))
  if (section === 'vehicle') return vehicle?.campaign_id ?? null
  return CAMPAIGN_PAGES.has(section) ? id : null
}
