import { useEffect, useRef, useState } from 'react'
import { listenForSlashKey } from '@/lib/keyboardShortcuts'
import { Icon } from './Icon'
import styles from './Field.module.css'

interface SearchBoxProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** Time in milliseconds between the last key press and the call of `onChange`; with 0, each key press calls `onChange` at once. */
  debounceMs?: number
}

/** Search field, focused by the key '/'. Shows typed text at once and calls `onChange` after a pause in typing. */
export function SearchBox({ label, value, onChange, debounceMs = 0 }: SearchBoxProps) {
  const [text, setText] = useState(value)
  const [lastValue, setLastValue] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  if (lastValue !== value) {
    setLastValue(value)
    setText(value)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => listenForSlashKey(() => field.current?.focus()), [])

  const emitChange = (next: string) => {
    setLastValue(next)
    onChange(next)
  }
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    if (debounceMs === 0) emitChange(next)
    else timer.current = setTimeout(emitChange, debounceMs, next)
  }
  return (
    <div className={styles.search} role="search" aria-label={label}>
      <Icon name="search" size={20} />
      <input ref={field} className={styles.control} type="search" aria-label={label} placeholder={label} value={text} autoComplete="off" spellCheck={false} enterKeyHint="search" onChange={(event) => type(event.target.value)} />
    </div>
  )
}
