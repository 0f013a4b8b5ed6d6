import { createHardwareScanDetector, MAX_KEY_INTERVAL_MS, type KeystrokeResult } from './hardwareScan'

type Field = HTMLInputElement | HTMLTextAreaElement
const isField = (target: EventTarget | null): target is Field => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/** CSS selector of the elements that the Enter key activates. */
const PRESSED = 'button, a[href], summary'
/** Delay in milliseconds before Enter activates an element, longer than a hardware scanner takes for its next key. */
const HOLD_MS = MAX_KEY_INTERVAL_MS + 20
const TYPING = /^insert(Text|CompositionText|FromComposition|LineBreak|Paragraph)$/
/** Values of `KeyboardEvent.key` that do not name the typed character, as on Android. The input event that follows has the character. */
const UNNAMED = new Set(['Unidentified', 'Process'])
const CONTROL_BITS = 0x1f
const ALT_CODES = 256

/** Returns the `KeyboardEvent.key` value for a character; a line break is the key Enter. */
const keyOf = (character: string): string => (/[\r\n]/.test(character) ? 'Enter' : character === '\t' ? 'Tab' : character)

/** Sets the value of a field so that React handles the change like typing. */
function setValue(field: Field, value: string): void {
  const setter = Object.getOwnPropertyDescriptor(Reflect.getPrototypeOf(field) ?? field, 'value')?.set
  setter?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Returns the text that an edit has inserted, given the values before and after the edit. */
function insertedText(before: string, after: string): string {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return after.slice(start, after.length - end)
}

/**
 * Returns the control character that Ctrl and the given key produce, or null if they produce none. Some scanners type the separators
 * between the fields of a label as Ctrl and a key.
 */
const controlOf = (key: string): string | null => (/^[@-_a-z]$/.test(key) ? String.fromCharCode(key.toUpperCase().charCodeAt(0) & CONTROL_BITS) : null)

/** Listens to an event before the other listeners of the page. Returns a function that stops listening. */
function listen<K extends keyof DocumentEventMap>(type: K, listener: (event: DocumentEventMap[K]) => void): () => void {
  document.addEventListener(type, listener, { capture: true })
  return () => document.removeEventListener(type, listener, { capture: true })
}

/**
 * Calls `onScan` for each code that a hardware scanner types, whichever element has the focus. If the scanner typed into a field, the field
 * gets its previous value back. Enter activates an element only when no other key follows immediately, because a scanner may send Enter
 * before a code. Returns a function that stops listening.
 */
export function listenForHardwareScans(onScan: (text: string) => void): () => void {
  const detector = createHardwareScanDetector()
  const values = new WeakMap<Field, string>()
  let before: { field: Field; value: string } | null = null
  let altDigits = ''
  /**
   * Time in milliseconds of the last key press, if the keyboard event did not name the key, as on Android; null otherwise. The input event
   * that follows contains the typed text. A busy page delays that event, so the time of the input event is not used.
   */
  let unnamedAt: number | null = null
  let restoring = false
  let press: ReturnType<typeof setTimeout> | undefined

  const remember = ({ target }: Event) => {
    if (isField(target)) values.set(target, target.value)
  }

  /** Handles one key. Before a completed scan is reported, restores the value that the field had before the scan. */
  const take = (key: string, event: Event, value?: string, at = event.timeStamp): KeystrokeResult => {
    const { target } = event
    const step = detector.take({ key, at })
    if (step.isFirst) before = isField(target) ? { field: target, value: value ?? target.value } : null
    if (step.isFast) clearTimeout(press)
    if (step.isFast && target instanceof HTMLButtonElement) target.blur() // a space would press the button
    if (step.isTrailing && event.type === 'keydown') stop(event)
    if (step.scan === null) return step
    if (event.type === 'keydown') stop(event)
    restoring = true
    if (before !== null) setValue(before.field, before.value)
    restoring = false
    before = null
    onScan(step.scan)
    return step
  }
  const stop = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }

  const keydown = (event: KeyboardEvent) => {
    const { key, ctrlKey, altKey, metaKey } = event
    if (metaKey) return
    remember(event)
    unnamedAt = UNNAMED.has(key) || event.isComposing ? event.timeStamp : null
    if (unnamedAt !== null) return
    if (ctrlKey !== altKey) return modified(event)
    if (ctrlKey && key.length !== 1) return
    const { scan, isFast } = take(key, event)
    if (isFast && key === ' ' && !isField(event.target)) event.preventDefault() // a space would scroll the page
    if (scan === null && key === 'Enter' && !isFast && !event.repeat) hold(event)
  }

  /** Handles control characters, which scanners send as Ctrl and a letter or as Alt and the digits of a character code. */
  const modified = (event: KeyboardEvent) => {
    const { key, altKey } = event
    if (altKey && /^\d$/.test(key)) {
      altDigits += key
      event.preventDefault()
    }
    const character = altKey ? null : controlOf(key)
    if (character !== null && take(keyOf(character), event).isFast) event.preventDefault()
  }
  const keyup = (event: KeyboardEvent) => {
    if (event.key !== 'Alt' || altDigits === '') return
    const character = String.fromCharCode(Number(altDigits) % ALT_CODES)
    altDigits = ''
    take(keyOf(character), event)
  }

  const hold = (event: KeyboardEvent) => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>(PRESSED) : null
    if (pressed === null) return
    stop(event)
    press = setTimeout(() => pressed.isConnected && pressed.click(), HOLD_MS)
  }

  const input = (event: Event) => {
    const { target } = event
    if (!isField(target) || restoring) return
    const known = values.get(target) ?? ''
    values.set(target, target.value)
    if (unnamedAt === null || !(event instanceof InputEvent) || !TYPING.test(event.inputType)) return
    for (const character of insertedText(known, target.value)) take(keyOf(character), event, known, unnamedAt)
  }

  const stops = [listen('keydown', keydown), listen('keyup', keyup), listen('beforeinput', remember), listen('focusin', remember), listen('input', input)]
  return () => {
    clearTimeout(press)
    for (const stopListening of stops) stopListening()
  }
}
