import { useEffect, useEffectEvent } from 'react'
import { createStore } from './store'

/** File that was dropped on a page and has not yet been read by the page for its file type; `null` when no file waits. */
const waiting = createStore<File | null>(null)

/** Passes a dropped file to the page that calls `usePassedFile` with the file's extension, because that page may not be open yet. */
export const passFileToPage = (file: File): void => waiting.set(file)

/** Calls `take` once for each file passed to this page whose name ends with `extension`, such as `.csv`. */
export function usePassedFile(extension: string, take: (file: File) => void): void {
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
