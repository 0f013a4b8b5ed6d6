import { useState } from 'react'
import { MAX_PREVIEWED_VEHICLES } from './api'

/**
 * Whether the preview lists all vehicles of a change, with the part of the request that asks for them. A change of the entry in the form
 * returns to the short list.
 */
export function usePreviewLength<T>(entry: T) {
  const [listedInFull, setListedInFull] = useState<T | null>(null)
  const showsAll = listedInFull === entry
  return { limit: showsAll ? { preview_limit: MAX_PREVIEWED_VEHICLES } : {}, list: { showsAll, onShowAll: () => setListedInFull(entry) } }
}
