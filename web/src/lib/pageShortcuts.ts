import { useEffect, useEffectEvent } from 'react'

/** Keys that do the same or opposite things on the current page, such as the two arrow keys, and what they do. */
export interface PageShortcut {
  keys: string[]
  label: string
}

const sources = new Set<() => PageShortcut[]>()

/** Returns the shortcuts of the components that are on the page now. */
export const listPageShortcuts = (): PageShortcut[] => [...sources].flatMap((list) => list())

/** Adds the shortcuts of a component to the keyboard help while the component is on the page. */
export function usePageShortcuts(shortcuts: PageShortcut[]): void {
  const list = useEffectEvent(() => shortcuts)
  useEffect(() => {
    const source = () => list()
    sources.add(source)
    return () => void sources.delete(source)
  }, [])
}
