import { createContext, useContext, useMemo } from 'react'
import { buildPath, navigate } from '@/lib/route'

/** The pane beside the vehicle list in which a vehicle is open. */
export interface VehiclePane {
  open: (vehicle: number) => void
  close: () => void
}

/** Value of `VehiclePaneContext`, through which the components of the open vehicle use the pane. */
interface OpenPane extends VehiclePane {
  /** Element of the pane's head that shows parking space and VIN; `null` until the head is rendered. */
  head: HTMLElement | null
}

/** Context of a vehicle that is open beside the list; `null` for a vehicle on its own page. */
export const VehiclePaneContext = createContext<OpenPane | null>(null)

/**
 * Returns two functions: `openVehicle` opens another vehicle, and `leave` goes from the vehicle's page to the page of the campaign. In the
 * pane beside the list, `leave` only closes the pane.
 */
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
