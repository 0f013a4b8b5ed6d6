import { useSyncExternalStore } from 'react'

/**
 * Matches a media query for a minimum width of three digits, from which tables replace cards. These queries also match when printing, so
 * that tables are printed.
 */
const TABLE_WIDTH = /^\(min-width: \d{3}px\)$/
const listsOf = (query: string) => (TABLE_WIDTH.test(query) ? [query, 'print'] : [query]).map((one) => window.matchMedia(one))

/** Returns whether a CSS media query matches now. */
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
