import { useStore } from '@/lib/store'
import { snapshots } from './store'

export type { SnapshotMetadata } from '../schema'
export { listCampaigns, listYards, findCampaign, findCampaignPage, findVehicle, countVehiclesByYard, type PossiblyPartialVehicle } from './queries'
export { downloadSnapshot, refreshSnapshot, refreshAllSnapshots, startSnapshotRefresh } from './refresh'
export { deleteSnapshot, readSnapshots, readSnapshotRows } from './store'

export const useSnapshots = () => useStore(snapshots)
