import { useSyncExternalStore } from 'react'

/** Media query for a width up to that of tables. An A4 sheet counts as that wide, so that tables instead of cards are printed. */
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
