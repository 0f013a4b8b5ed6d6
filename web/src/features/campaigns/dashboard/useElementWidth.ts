import { useCallback, useState, type RefCallback } from 'react'

/** Returns the width of an element in pixels, updated when the element is resized; `fallback` until the element is laid out. */
export function useElementWidth(fallback: number): [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(fallback)
  const watch = useCallback((element: HTMLElement | null) => {
    const measure = () => element !== null && element.clientWidth > 0 && setWidth(element.clientWidth)
    if (element === null || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(measure) // measures for the first time after the next layout, without forcing one
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [watch, width]
}
