import { useCallback, useState, type RefCallback } from 'react'

/**
 * Returns a ref callback for an element with `text`, and whether the text is cut off. The result is updated when the text changes or the
 * element is resized, except while the element is inside an expanded element (`data-open`).
 */
export function useIsTruncated(text: string): [RefCallback<HTMLElement>, boolean] {
  const [truncated, setTruncated] = useState<string | null>(null)
  const watch = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const measure = () => {
      if (element.closest('[data-open]') !== null) return
      const isCut = element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1
      setTruncated(isCut ? text : null)
    }
    if (typeof ResizeObserver === 'undefined') return measure()
    const observer = new ResizeObserver(measure) // measures for the first time after the next layout, without forcing one
    observer.observe(element)
    return () => observer.disconnect()
  }, [text])
  return [watch, truncated === text]
}
