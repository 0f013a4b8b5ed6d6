import { isShortcutKeyPress } from './keyboardShortcuts'

/**
 * Calls `enter`, which focuses the first row of a table, when the key 'arrow down' is pressed while no part of the page has the focus, or
 * only its heading. Returns a function that ends this.
 */
export function focusFirstRowOnArrowDown(enter: () => void): () => void {
  const press = (event: KeyboardEvent) => {
    const isFree = event.target === document.body || (event.target instanceof HTMLElement && event.target.matches('h1'))
    if (event.key !== 'ArrowDown' || !isFree || !isShortcutKeyPress(event)) return
    event.preventDefault()
    enter()
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}
