import { createContext, useContext, useMemo } from 'react'
import { buildPath, navigate } from '@/lib/route'

/** The pane beside the vehicle list in which a vehicle is open. */
export interface VehiclePane {
  open: (vehicle: number) => void
  close: () => void
}

/** Context of a vehicle that is open beside the list; `null` for a vehicle on its own page. */
export const VehiclePaneContext = createContext<VehiclePane | null>(null)

/** Returns the functions with which the person leaves a vehicle's page: for another vehicle, or for the campaign. Beside the list, leaving closes only the pane. */
export function useVehicleNavigation(campaign: string, yard: number | null) {
  const pane = useContext(VehiclePaneContext)
  return useMemo(
    () => ({
      openVehicle: (id: number) => (pane === null ? navigate(buildPath(`/vehicle/${id}`, { yard })) : pane.open(id)),
      leave: () => (pane === null ? navigate(campaign) : pane.close()),
    }),
    [pane, campaign, yard],
  )
}
