import { useEffect } from 'react'

/** Order in which the user picks a campaign and a yard before an inspection. Stored for each tab. */
export type PickerStepOrder = 'campaignFirst' | 'yardFirst'

const NAME = 'pickOrder'
const stored = (): PickerStepOrder => (sessionStorage.getItem(NAME) === 'yardFirst' ? 'yardFirst' : 'campaignFirst')

/**
 * Returns the order in which the person picks campaign and yard in this tab. Stores `picked`, if given, as the order for the following
 * pages.
 */
export function usePickerStepOrder(picked?: PickerStepOrder): PickerStepOrder {
  useEffect(() => {
    if (picked !== undefined) sessionStorage.setItem(NAME, picked)
  }, [picked])
  return picked ?? stored()
}
