import { isShortcutKeyPress } from './keyboardShortcuts'

/**
 * Calls `enter` when the key 'arrow down' is pressed while the focus is on the page's heading or on nothing. `enter` focuses the first row
 * of a table. Returns a function that stops listening.
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
