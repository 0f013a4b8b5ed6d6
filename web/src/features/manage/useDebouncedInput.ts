import { useEffect, useState } from 'react'

const REST_MS = 350

/** Returns the text after a pause in typing, so that a preview is not requested for every key. */
export function useDebouncedInput(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(setRested, REST_MS, text)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
