import type { CampaignSearchParams } from './types'

/** A search for a VIN or a parking space in the open campaigns. */
export interface VehicleSearch {
  text: string
  /** Id of the campaign that is searched first: the campaign of the current page, or null. */
  campaign: number | null
  /** Whether every open campaign is searched, instead of a limited number. */
  all: boolean
}

/**
 * Keys of the query cache. Invalidating a key invalidates all queries whose keys begin with that key. For example, `queryKeys.vehicles`
 * is a prefix of the keys of all vehicle queries.
 */
export const queryKeys = {
  me: ['me'],
  campaigns: ['campaigns'],
  campaignPage: (search: CampaignSearchParams) => ['campaigns', 'page', search] as const,
  allCampaigns: ['campaigns', 'every'],
  /** Key of all campaigns for their names. It does not begin with `campaigns`, so that inspections cause no refetch. */
  campaignNames: ['campaignNames'],
  campaign: (id: number, yard: number | null) => ['campaigns', 'one', id, yard] as const,
  /**
   * Key of the hourly inspection counts of one campaign; `null` stands for all campaigns. The key begins with `campaigns`, so that
   * invalidating `queryKeys.campaigns` also invalidates the counts.
   */
  activity: (campaign: number | null) => ['campaigns', 'activity', campaign] as const,
  ownActivity: ['campaigns', 'activity', 'own'],
  longRepairs: (campaign: number) => ['vehicles', 'repairs', campaign] as const,
  pace: (campaign: number) => ['pace', campaign] as const,
  anyPaces: ['paces'],
  paces: (campaigns: number[]) => ['paces', campaigns] as const,
  pendingOnDevices: (campaign: number) => ['held', campaign] as const,
  yards: ['yards'],
  allYards: ['yards', 'every'],
  yardCounts: (campaign: string) => ['yards', 'counts', campaign] as const,
  vehicles: ['vehicles'],
  anyVehicle: ['vehicles', 'one'],
  vehicle: (id: number, yard: number | null) => ['vehicles', 'one', id, yard] as const,
  vehicleList: (campaign: number) => ['vehicles', 'list', campaign] as const,
  vehiclePage: (campaign: number | null, search: string, page: number, yard: number | null) => ['vehicles', 'page', campaign, search, page, yard] as const,
  vehicleHistory: (id: number) => ['vehicles', 'history', id] as const,
  vehicleHistoryPage: (id: number, before: string | null) => ['vehicles', 'history', id, before] as const,
  campaignHistory: (campaign: number, before: string | null) => ['campaigns', 'history', campaign, before] as const,
  vehiclesEverywhere: (search: VehicleSearch) => ['vehicles', 'everywhere', search] as const,
  vehicleElsewhere: (campaign: number, identifier: string) => ['vehicles', 'elsewhere', campaign, identifier] as const,
  anyConflicts: ['conflicts'],
  conflicts: (state?: string, mine?: boolean, campaign?: number) => ['conflicts', state, mine, campaign] as const,
  sessions: (user: number | null) => ['sessions', user] as const,
  users: ['users'],
  userHistory: (id: number) => ['users', 'history', id] as const,
  audit: (filter: object) => ['audit', filter] as const,
  jobs: ['jobs'],
  previews: ['bulk'],
  statusPreview: (body: object | null) => ['bulk', 'status', body] as const,
  spacePreview: (body: object | null) => ['bulk', 'space', body] as const,
}
