import { useEffect, useState, type RefObject } from 'react'

/** Number of rows up to which a list is rendered completely. In a longer list, only the rows in and near the window are rendered. */
const MANY = 50
/** Minimum number of rows that are also rendered above and below the visible rows. */
const MARGIN = 12

export interface VisibleRowRange {
  from: number
  to: number
}

/**
 * Returns the range of rows to render: the visible rows of a long list with a margin, or all rows of a short list. `list` contains the
 * rows, each `rowHeight` pixels high.
 */
export function useVisibleRows(list: RefObject<HTMLElement | null>, count: number, rowHeight: number): VisibleRowRange {
  const [first, setFirst] = useState(0)
  const isMany = count > MANY
  useEffect(() => {
    if (!isMany) return
    const look = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0
      const row = Math.floor(Math.max(0, -top) / rowHeight)
      setFirst(row - (row % MARGIN)) // in steps, so that most scroll events change nothing
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      window.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [isMany, list, rowHeight])
  if (!isMany) return { from: 0, to: count }
  const inWindow = Math.ceil(window.innerHeight / rowHeight)
  const from = Math.min(Math.max(0, first - MARGIN), Math.max(0, count - 1))
  return { from, to: Math.min(count, from + inWindow + 3 * MARGIN) }
}
