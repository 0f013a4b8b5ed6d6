import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { useText } from '@/lib/text'
import { IconButton } from './Button'
import { Icon } from './Icon'
import styles from './InlineEdit.module.css'

interface InlineEditProps {
  label: string
  value: string
  mono?: boolean
  isValid?: (text: string) => boolean
  message?: string
  onSave: (text: string) => void
  /** Content shown instead of the plain text while the value is not edited. */
  children?: ReactNode
}

/** Value that can be edited in place. Enter, the check mark or leaving the field saves a valid value. Escape or the cross cancels. */
export function InlineEdit({ label, value, mono = false, isValid = () => true, message, onSave, children }: InlineEditProps) {
  const t = useText()
  const id = useId()
  const [text, setText] = useState<string | null>(null)
  const [wrong, setWrong] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const editing = text !== null
  useEffect(() => {
    if (editing) field.current?.select()
  }, [editing])

  const close = () => {
    setText(null)
    setWrong(false)
  }
  const save = () => {
    if (text === null) return
    if (!isValid(text.trim())) return setWrong(true)
    onSave(text.trim())
    close()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') save()
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  if (text === null) {
    return (
      <button type="button" data-print className={styles.shown} onClick={() => setText(value)} aria-label={t('inline.edit', { label, value })}>
        {children || <strong className={mono ? 'mono' : ''}>{value}</strong>}
        <Icon name="pencil" size={18} />
      </button>
    )
  }
  return (
    <>
      <div className={styles.edited}>
        <input ref={field} className={`${styles.input} ${mono ? 'mono' : ''}`} aria-label={label} aria-invalid={wrong} aria-describedby={wrong ? id : undefined} value={text} onChange={(event) => setText(event.target.value)} onKeyDown={press} onBlur={save} />
        {/* The field keeps the focus, because leaving it would save. */}
        <span onPointerDown={(event) => event.preventDefault()}>
          <IconButton icon="check" label={t('inline.apply')} onClick={save} />
          <IconButton icon="close" label={t('inline.leave')} onClick={close} />
        </span>
      </div>
      {wrong && (
        <p id={id} role="alert" className={styles.wrong}>
          {message ?? t('inline.invalid')}
        </p>
      )}
    </>
  )
}
