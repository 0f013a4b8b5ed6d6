import { useEffect } from 'react'

/** First choice of the person: a campaign or a yard. */
export type FirstChoice = 'campaign' | 'yard'

const NAME = 'pickedFirst'
const stored = (): FirstChoice => (sessionStorage.getItem(NAME) === 'yard' ? 'yard' : 'campaign')

/**
 * Returns whether the person picks a campaign or a yard first in this tab. The page of the first pick passes `picked`, which is stored
 * for the other pages of the tab.
 */
export function useFirstChoice(picked?: FirstChoice): FirstChoice {
  useEffect(() => {
    if (picked !== undefined) sessionStorage.setItem(NAME, picked)
  }, [picked])
  return picked ?? stored()
}
