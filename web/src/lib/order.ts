import { useEffect } from 'react'

/** First choice of the person: a campaign or a yard. */
export type ChoiceOrder = 'campaign' | 'yard'

const NAME = 'pickedFirst'
const stored = (): ChoiceOrder => (sessionStorage.getItem(NAME) === 'yard' ? 'yard' : 'campaign')

/**
 * Returns what the person chooses first in this tab: a campaign or a yard. A page on which the person makes the first choice passes this
 * choice as `picked`, and the choice is stored for the tab.
 */
export function useChoiceOrder(picked?: ChoiceOrder): ChoiceOrder {
  useEffect(() => {
    if (picked !== undefined) sessionStorage.setItem(NAME, picked)
  }, [picked])
  return picked ?? stored()
}
