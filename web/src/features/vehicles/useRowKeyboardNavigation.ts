import { useEffect, useRef, type RefObject } from 'react'
import { focusFirstRowOnArrowDown } from '@/lib/focusFirstRowOnArrowDown'
import { MAX_KEY_INTERVAL_MS } from '@/lib/hardwareScan'

export const ROW_SELECTOR = '[data-vehicle]'
/**
 * Delay in milliseconds before the pane beside the list shows the newly focused vehicle. Without the delay, holding an arrow key down would
 * open every vehicle that the focus passes.
 */
const FOLLOW_MS = 150

interface RowKeys {
  page: number
  isOpen: boolean
  onOpen: (id: number) => void
  onClose: () => void
  onPage: (page: number) => void
  pages: number
  onSelect: ((id: number) => void) | null
}

const rowsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>(ROW_SELECTOR)]
const idOf = (row: Element | null | undefined): number => Number(row instanceof HTMLElement ? row.dataset.vehicle : 0)
const focusRow = (row: HTMLElement | undefined): void => row?.querySelector('a')?.focus()

/** Handles keys in a list of vehicles: arrows, j and k move the focus, [ and ] change the page, Space selects, Escape closes. */
export function useRowKeyboardNavigation(list: RefObject<HTMLElement | null>, keys: RowKeys): void {
  const latest = useRef(keys)
  /**
   * Page that a key press has requested, and the row of that page (first or last) that gets the focus once the page is shown. Null when no
   * page is requested.
   */
  const arriving = useRef<{ page: number; end: 'first' | 'last' } | null>(null)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const target = arriving.current
    if (list.current === null || target?.page !== keys.page) return
    arriving.current = null
    const rows = rowsIn(list.current)
    const row = target.end === 'first' ? rows[0] : rows.at(-1)
    focusRow(row)
    if (keys.isOpen) keys.onOpen(idOf(row))
  })

  useEffect(() => {
    const element = list.current
    if (element === null) return
    let timer: ReturnType<typeof setTimeout>
    let following: ReturnType<typeof setTimeout>

    const turn = (by: 1 | -1, end: 'first' | 'last') => {
      const { page, pages, onPage } = latest.current
      if (page + by < 1 || page + by > pages) return
      clearTimeout(following)
      arriving.current = { page: page + by, end }
      onPage(page + by)
    }
    const step = (row: Element, by: 1 | -1, selects: boolean) => {
      const rows = rowsIn(element)
      const next = rows[rows.findIndex((one) => one === row) + by]
      if (next === undefined) return turn(by, by === 1 ? 'first' : 'last')
      focusRow(next)
      if (selects) latest.current.onSelect?.(idOf(next))
      clearTimeout(following)
      if (latest.current.isOpen) following = setTimeout(() => latest.current.onOpen(idOf(next)), FOLLOW_MS)
    }
    const actions: Record<string, (row: Element, shift: boolean) => void> = {
      ArrowDown: (row, shift) => step(row, 1, shift),
      ArrowUp: (row, shift) => step(row, -1, shift),
      j: (row) => step(row, 1, false),
      k: (row) => step(row, -1, false),
      '[': () => turn(-1, 'first'),
      ']': () => turn(1, 'first'),
      ' ': (row) => latest.current.onSelect?.(idOf(row)),
      Escape: () => latest.current.onClose(),
    }
    const press = (event: KeyboardEvent) => {
      clearTimeout(timer)
      const target = event.target instanceof HTMLElement ? event.target : null
      const isCheckbox = target?.matches('input[type=checkbox]') === true
      const row = isCheckbox || target instanceof HTMLAnchorElement ? target.closest(ROW_SELECTOR) : null
      const act = actions[event.key]
      if (row === null || act === undefined || (isCheckbox && event.key === ' ') || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      event.preventDefault()
      // A character may be the first key of a hardware scanner, whose next key follows at once. The action therefore runs only if no key
      // follows shortly.
      if (event.key.length === 1) timer = setTimeout(() => act(row, false), MAX_KEY_INTERVAL_MS)
      else act(row, event.shiftKey)
    }
    element.addEventListener('keydown', press)
    const stopEntering = focusFirstRowOnArrowDown(() => focusRow(rowsIn(element)[0]))
    return () => {
      stopEntering()
      element.removeEventListener('keydown', press)
      clearTimeout(timer)
      clearTimeout(following)
    }
  }, [list])
}
