import { useEffect, useState } from 'react'

const REST_MS = 350

/** Returns the debounced `text`, which changes only after a pause in typing, so that not every keystroke requests a preview. */
export function useDebouncedInput(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(setRested, REST_MS, text)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
