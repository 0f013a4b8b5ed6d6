import { useEffect, useEffectEvent } from 'react'
import { isRecord } from '@/lib/json'
import { useQueryParams } from '@/lib/route'

/** Vehicles that were selected in the vehicle list of a campaign. */
interface SelectedVehicles {
  campaign: number
  vins: string[]
  /** Parking space of each vehicle, in the order of `vins`. */
  spaces: string[]
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((text) => typeof text === 'string')
const isSelection = (state: unknown): state is SelectedVehicles => isRecord(state) && typeof state.campaign === 'number' && isTexts(state.vins) && isTexts(state.spaces)

/**
 * Calls `take` with the vehicles selected in a campaign's vehicle list, if the person opened this tool from that list. The list passes the
 * selection in `history.state` (the state of the browser's history entry).
 */
export function useSelectionFromVehicleList(tool: string, take: (selected: SelectedVehicles) => void): void {
  const onSelected = useEffectEvent(take)
  const isNamed = useQueryParams().get('tool') === tool
  useEffect(() => {
    const state: unknown = window.history.state
    if (isNamed && isSelection(state)) onSelected(state)
  }, [isNamed])
}
