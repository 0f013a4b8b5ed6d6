import { useStore } from '@/lib/store'
import { lists } from './store'

export { allCampaigns, allYards, campaign, campaigns, vehicle, wholeList, yardCounts, type PartlyKnown } from './answers'
export { patched } from './rows'
export { keepFresh, refresh, refreshAll, take } from './refresh'
export { readLists, removeList, writeNewer, type Taken } from './store'

export const useTaken = () => useStore(lists)
