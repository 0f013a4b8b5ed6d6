import { useEffect, useEffectEvent, useRef } from 'react'
import { flushSync } from 'react-dom'
import { areShortcutsEnabled } from '@/lib/keyboardShortcuts'
import { listenForShortcuts } from '@/lib/listenForShortcuts'
import { useKeyboardHelpEntries } from '@/lib/keyboardHelp'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { MAX_KEY_INTERVAL_MS } from '@/lib/hardwareScan'
import { useInspectionText } from './text'

const ALLOWED_STATUS = 'button[aria-pressed][aria-disabled="false"]'
const SAVE_AND_GO_NEXT = 'button[data-save-next]'
const DIGITS = ['1', '2', '3', '4', '5', '6', '7']
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta'])

/**
 * Keys of the surrounding inspection form, on devices with a mouse: 1 to 7 choose an allowed status, `n` goes to the notes, and Ctrl+Enter
 * saves and goes next. The keys press the buttons of the form, so the key of a disabled button has no effect.
 */
export function InspectionShortcuts({ onNotes }: { onNotes: () => void }) {
  const t = useInspectionText()
  const place = useRef<HTMLSpanElement>(null)
  const hasKeyboard = useMediaQuery('(pointer: fine)')
  const openNotes = useEffectEvent(onNotes)
  useKeyboardHelpEntries(hasKeyboard ? [
    { keys: ['1 – 7'], label: t('keys.status') },
    { keys: ['n'], label: t('walk.notes') },
    { keys: ['Ctrl + Enter'], label: t('vehicle.saveNext') },
  ] : [])
  useEffect(() => {
    const form = place.current?.closest('form') ?? null
    if (form === null || !hasKeyboard) return
    const applies = () => form.closest('[inert]') === null && document.querySelector('dialog[open]') === null
    const choose = (index: number) => {
      const status = form.querySelectorAll<HTMLButtonElement>(ALLOWED_STATUS)[index]
      if (status?.getAttribute('aria-pressed') === 'false') status.click()
    }
    const goToNotes = () => {
      flushSync(() => openNotes())
      form.querySelector('textarea')?.focus()
    }
    const stopKeys = listenForShortcuts({ ...Object.fromEntries(DIGITS.map((digit, index) => [digit, () => choose(index)])), n: goToNotes }, applies)
    const stopSave = listenForSaveKey(form, () => applies() && form.querySelector<HTMLButtonElement>(SAVE_AND_GO_NEXT)?.click())
    return () => {
      stopKeys()
      stopSave()
    }
  }, [hasKeyboard])
  return <span ref={place} hidden />
}

/**
 * Calls `save` when Ctrl+Enter is pressed, except in fields and dialogs outside the form. Ignores Ctrl+Enter that immediately
 * follows another key, because a hardware scanner may have sent both. Returns a function that stops listening.
 */
function listenForSaveKey(form: HTMLFormElement, save: () => void): () => void {
  let lastAt = Number.NEGATIVE_INFINITY
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, repeat, target, timeStamp } = event
    if (MODIFIERS.has(key)) return
    const isFast = timeStamp - lastAt <= MAX_KEY_INTERVAL_MS
    lastAt = timeStamp
    const isElsewhere = target instanceof Element && !form.contains(target) && target.closest('input, textarea, select, [contenteditable], dialog') !== null
    if (key !== 'Enter' || !ctrlKey || repeat || isFast || isElsewhere || !areShortcutsEnabled.get()) return
    event.preventDefault()
    save()
  }
  window.addEventListener('keydown', press)
  return () => window.removeEventListener('keydown', press)
}
