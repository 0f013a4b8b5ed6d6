import { useCallback, useState, type RefCallback } from 'react'

/**
 * Returns a ref callback for an element, and whether the text of that element is cut off. The result is updated when the element is
 * resized, except while the element is inside an expanded element (`data-open`).
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
