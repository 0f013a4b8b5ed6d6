import { useEffect } from 'react'

/** What a person picks first in this tab on the way to an inspection: a campaign, or a yard. The person picks the other one afterwards. */
export type PickOrder = 'campaignFirst' | 'yardFirst'

const NAME = 'pickOrder'
const stored = (): PickOrder => (sessionStorage.getItem(NAME) === 'yardFirst' ? 'yardFirst' : 'campaignFirst')

/** Returns what the person picks first in this tab. The page of the first pick passes `picked`, which is stored for the other pages of the tab. */
export function usePickOrder(picked?: PickOrder): PickOrder {
  useEffect(() => {
    if (picked !== undefined) sessionStorage.setItem(NAME, picked)
  }, [picked])
  return picked ?? stored()
}
