import { useSyncExternalStore } from 'react'

/**
 * Matches the media queries for the width at which tables replace cards. During printing, these queries count as true, so that tables are
 * printed.
 */
const TABLE_WIDTH = /^\(min-width: \d{3}px\)$/
const listsOf = (query: string) => (TABLE_WIDTH.test(query) ? [query, 'print'] : [query]).map((one) => window.matchMedia(one))

/** Returns whether a CSS media query matches, and renders the component again when the result changes. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const lists = listsOf(query)
      for (const list of lists) list.addEventListener('change', changed)
      return () => {
        for (const list of lists) list.removeEventListener('change', changed)
      }
    },
    () => listsOf(query).some(({ matches }) => matches),
  )
}
