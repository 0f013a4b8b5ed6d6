import { createContext, useContext } from 'react'
import type { Outbox } from './outbox'

/** The outbox of the app, for the pages that save vehicles or show pending saves. */
export const OutboxContext = createContext<Outbox | null>(null)

/** Returns the app's outbox. Throws on a page that is not inside an `OutboxContext`. */
export function useOutbox(): Outbox {
  const outbox = useContext(OutboxContext)
  if (outbox === null) throw new Error('the page is not inside an OutboxContext')
  return outbox
}
