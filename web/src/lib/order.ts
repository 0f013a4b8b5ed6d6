import { useEffect } from 'react'

/** What a person picked first: the campaign or the yard. */
export type Order = 'campaign' | 'yard'

const NAME = 'pickedFirst'
const stored = (): Order => (sessionStorage.getItem(NAME) === 'yard' ? 'yard' : 'campaign')

/** What this person picks first, kept for this tab; a picker gives what it stands for, other screens ask. */
export function useOrder(picked?: Order): Order {
  useEffect(() => {
    if (picked !== undefined) sessionStorage.setItem(NAME, picked)
  }, [picked])
  return picked ?? stored()
}
