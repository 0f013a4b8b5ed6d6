import { readStoredJson, writeStoredJson } from './storage'
import { createStore } from './store'

const NAME = 'shortcuts'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

/** Whether keys without a modifier act as shortcuts. The choice is stored on this device. */
export const areShortcutsEnabled = createStore(readStoredJson(localStorage, NAME, isBoolean) ?? true)

export function setShortcutsEnabled(on: boolean): void {
  writeStoredJson(localStorage, NAME, on)
  areShortcutsEnabled.set(on)
}

const WRITES = 'input, textarea, select, [contenteditable], dialog'

/**
 * Returns whether a key press acts as a shortcut. Shortcuts must be on, no modifier such as Ctrl may be held, the focus must be outside of
 * fields and dialogs, and no other listener may have handled the key.
 */
export const isShortcutKeyPress = ({ target, defaultPrevented, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  areShortcutsEnabled.get() && !defaultPrevented && !ctrlKey && !altKey && !metaKey && !(target instanceof Element && target.closest(WRITES) !== null)

/**
 * Calls `act` when the key '/' is pressed outside of fields and dialogs. If several listeners are registered, only the first calls `act`.
 * Returns a function that stops listening.
 */
export function listenForSlashKey(act: () => void): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.key !== '/' || !isShortcutKeyPress(event)) return
    event.preventDefault()
    act()
  }
  window.addEventListener('keydown', press)
  return () => window.removeEventListener('keydown', press)
}
