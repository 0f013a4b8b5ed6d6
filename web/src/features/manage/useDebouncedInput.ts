import { useEffect, useState } from 'react'

const REST_MS = 350

/** Returns the typed text after a pause in typing, and the previous text until then, so that not every key requests a preview. */
export function useDebouncedInput(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(setRested, REST_MS, text)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
