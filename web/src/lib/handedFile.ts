import { useEffect, useEffectEvent } from 'react'
import { createStore } from './store'

/** File that was dropped on a page and waits for the part of the app that reads it; `null` when no file waits. */
const waiting = createStore<File | null>(null)

/** Leaves a file for the part of the app that reads files with this ending. */
export const handOverFile = (file: File): void => waiting.set(file)

/** Calls `take` once for each waiting file whose name ends with this extension, such as `.csv`. */
export function useHandedFile(extension: string, take: (file: File) => void): void {
  const onFile = useEffectEvent(take)
  useEffect(() => {
    const check = () => {
      const file = waiting.get()
      if (file === null || !file.name.toLowerCase().endsWith(extension)) return
      waiting.set(null)
      onFile(file)
    }
    const timer = setTimeout(check)
    const unsubscribe = waiting.subscribe(check)
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [extension])
}
