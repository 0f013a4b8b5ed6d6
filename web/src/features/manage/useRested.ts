import { useEffect, useRef, useState } from 'react'

const REST_MS = 350

/** A text that is typed or pasted: as it is now, and as it was when the typing last rested. */
export function useRested() {
  const [text, setText] = useState('')
  const [rested, setRested] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(setRested, REST_MS, next)
  }
  return { text, rested, type }
}
