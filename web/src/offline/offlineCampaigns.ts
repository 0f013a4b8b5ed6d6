import { isRecord } from '@/lib/json'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { createStore, useStore } from '@/lib/store'

/** A campaign that is available offline: all its vehicles, or its vehicles in some yards, are stored on this device. */
export interface OfflineCampaign {
  campaign: number
  /** Ids of the stored yards; null when every yard is stored. */
  yards: number[] | null
}

const NAME = 'offlineCampaigns'
const isCampaigns = (value: unknown): value is OfflineCampaign[] => Array.isArray(value) && value.every((one) => isRecord(one) && typeof one.campaign === 'number')

/**
 * The campaigns that are available offline. A copy in local storage tells a page these campaigns before the page has opened the database.
 */
export const offlineCampaigns = createStore<OfflineCampaign[]>(readStoredJson(localStorage, NAME, isCampaigns) ?? [])
export const useOfflineCampaigns = (): OfflineCampaign[] => useStore(offlineCampaigns)

export function recordOfflineCampaigns(campaigns: OfflineCampaign[]): void {
  writeStoredJson(localStorage, NAME, campaigns)
  offlineCampaigns.set(campaigns)
}

export const isCampaignAvailableOffline = (campaign: number): boolean => offlineCampaigns.get().some((one) => one.campaign === campaign)
export const isFullCampaignAvailableOffline = (campaign: number): boolean => offlineCampaigns.get().some((one) => one.campaign === campaign && one.yards === null)
