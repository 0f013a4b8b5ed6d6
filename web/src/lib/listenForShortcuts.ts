import { isShortcutKeyPress } from './keyboardShortcuts'
import { MAX_KEY_INTERVAL_MS } from './hardwareScan'

/**
 * Delay in milliseconds between a key press and its action. The delay exceeds the key interval of hardware scanners, so that scanned
 * characters trigger no action.
 */
const ACT_DELAY_MS = MAX_KEY_INTERVAL_MS + 20
/** Maximum time in milliseconds between the keys of a sequence such as 'g h'. */
const MAX_SEQUENCE_MS = 1500
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'])

/**
 * Calls the action of a typed shortcut: one key such as '?', or two keys in a row such as 'g h'. Ignores keys that follow each other as
 * fast as those of a hardware scanner, and all keys while `applies` returns false. Returns a function that stops listening.
 */
export function listenForShortcuts(shortcuts: Record<string, () => void>, applies: () => boolean = () => true): () => void {
  let lastAt = -Infinity
  let typed = ''
  let action: ReturnType<typeof setTimeout> | undefined
  const press = (event: KeyboardEvent) => {
    if (MODIFIERS.has(event.key)) return
    clearTimeout(action)
    const pause = event.timeStamp - lastAt
    lastAt = event.timeStamp
    const before = pause <= MAX_SEQUENCE_MS ? typed : ''
    typed = ''
    if (pause <= MAX_KEY_INTERVAL_MS || !isShortcutKeyPress(event) || !applies()) return
    const key = event.key.toLowerCase()
    const keys = before === '' ? key : `${before} ${key}`
    const act = shortcuts[keys]
    if (act === undefined) {
      if (Object.keys(shortcuts).some((one) => one.startsWith(`${key} `))) typed = key
      return
    }
    event.preventDefault()
    action = setTimeout(act, ACT_DELAY_MS)
  }
  window.addEventListener('keydown', press)
  return () => {
    clearTimeout(action)
    window.removeEventListener('keydown', press)
  }
}
