import { useCallback, useState, type RefCallback } from 'react'

/**
 * Returns whether the text of an element is cut off, updated when the element is resized. While the element is inside an element with
 * `data-open`, the last result stays.
 */
export function useIsTruncated(): [RefCallback<HTMLElement>, boolean] {
  const [isTruncated, setIsTruncated] = useState(false)
  const watch = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const measure = () => {
      if (element.closest('[data-open]') !== null) return
      setIsTruncated(element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1)
    }
    if (typeof ResizeObserver === 'undefined') return measure()
    const observer = new ResizeObserver(measure) // measures for the first time after the next layout, without forcing one
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [watch, isTruncated]
}
