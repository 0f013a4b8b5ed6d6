import { useMemo, useState } from 'react'
import { useVehicleList } from '@/offline/useVehicleList'
import { findMissingVehicleRanges } from './dashboard/parkingSpaceGrid'

/** Maximum number of vehicles that are loaded together with a campaign's page. In a larger campaign, the person loads the vehicles with a button. */
const MAX_LOADED = 5000

/** Returns the vehicles of a campaign for the map of its parking spaces, with this device's pending saves applied. */
export function useParkingSpaceMapVehicles({ id, total_vehicles: total }: { id: number; total_vehicles: number }, isShown: boolean) {
  const [isRequested, setIsRequested] = useState(false)
  const isLoaded = isShown && total > 0 && (isRequested || total <= MAX_LOADED)
  const { data: vehicles, isLoading } = useVehicleList(id, isLoaded)
  const missing = useMemo(() => findMissingVehicleRanges(vehicles ?? []), [vehicles])
  return { vehicles, missing, isLoading, onLoad: () => setIsRequested(true) }
}
