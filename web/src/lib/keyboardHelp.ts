import { useEffect, useEffectEvent } from 'react'

/** Entry of the keyboard help: one key, or several related keys such as the two arrow keys, with a label that describes their effect. */
export interface KeyboardHelpEntry {
  keys: string[]
  label: string
}

const sources = new Set<() => KeyboardHelpEntry[]>()

/** Returns the shortcuts of the components that are on the page now. */
export const listKeyboardHelpEntries = (): KeyboardHelpEntry[] => [...sources].flatMap((list) => list())

/** Adds the shortcuts of a component to the keyboard help while the component is on the page. */
export function useKeyboardHelpEntries(shortcuts: KeyboardHelpEntry[]): void {
  const list = useEffectEvent(() => shortcuts)
  useEffect(() => {
    const source = () => list()
    sources.add(source)
    return () => void sources.delete(source)
  }, [])
}
