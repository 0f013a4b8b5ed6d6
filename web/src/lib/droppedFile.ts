import { useEffect, useEffectEvent } from 'react'
import { createStore } from './store'

/** Dropped file that no page has taken yet; `null` when no file is pending. */
const waiting = createStore<File | null>(null)

/** Passes a dropped file to the page that calls `useDroppedFile` with the file's extension. The file is kept until that page is open. */
export const publishDroppedFile = (file: File): void => waiting.set(file)

/** Calls `take` once for each file given to `publishDroppedFile` whose name ends with `extension`, such as `.csv`. */
export function useDroppedFile(extension: string, take: (file: File) => void): void {
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
