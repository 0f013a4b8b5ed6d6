import { useEffect } from 'react'

/** What a person picks first in this tab on the way to an inspection: a campaign, or a yard. The person picks the other one afterwards. */
export type FirstChoice = 'campaign' | 'yard'

const NAME = 'pickedFirst'
const stored = (): FirstChoice => (sessionStorage.getItem(NAME) === 'yard' ? 'yard' : 'campaign')

/** Returns what the person picks first in this tab. The page of the first pick passes `picked`, which is stored for the other pages of the tab. */
export function useFirstChoice(picked?: FirstChoice): FirstChoice {
  useEffect(() => {
    if (picked !== undefined) sessionStorage.setItem(NAME, picked)
  }, [picked])
  return picked ?? stored()
}
