import { useEffect, useRef, type ReactNode, type SyntheticEvent } from 'react'
import { useText } from '@/lib/text'
import { Button } from './Button'
import styles from './Dialog.module.css'

interface DialogProps {
  label: string
  onClose: () => void
  children: ReactNode
  kind?: 'dialog' | 'drawer' | 'full' | 'sheet'
}

/**
 * Modal dialog, based on the browser's `dialog` element. Keeps the focus inside; Escape or a tap outside closes the dialog. A press that
 * begins inside and ends outside, as when text is selected, does not close it.
 */
export function Dialog({ label, onClose, children, kind = 'dialog' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget>(null)
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    if (kind === 'full' || kind === 'sheet') dialog?.focus() // the first focusable element there is the close button, which must not get the focus
    return () => dialog?.close()
  }, [kind])
  const cancel = (event: SyntheticEvent) => {
    event.preventDefault()
    onClose()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keyboard closes the dialog with Escape
    <dialog ref={element} tabIndex={-1} className={styles[kind]} aria-label={label} onCancel={cancel} onPointerDown={({ target }) => (pressed.current = target)} onClick={({ target }) => target === element.current && target === pressed.current && onClose()}>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  question: string
  children?: ReactNode
  busy?: boolean
  /** Whether the YES button is disabled because the question is not complete yet. */
  isYesDisabled?: boolean
  /** Style of the YES button; `danger` is the default. */
  kind?: 'danger' | 'primary'
  onYes: () => void
  onNo: () => void
}

/** Confirmation dialog with a YES and a NO button. */
export function ConfirmDialog({ question, children, busy, isYesDisabled = false, kind = 'danger', onYes, onNo }: ConfirmProps) {
  const t = useText()
  return (
    <Dialog label={question} onClose={onNo}>
      <div className={styles.body}>
        <h2>{question}</h2>
        {children}
        <div className={styles.answers}>
          <Button onClick={onNo} disabled={busy}>
            {t('confirm.no')}
          </Button>
          <Button kind={kind} onClick={onYes} busy={busy} disabled={isYesDisabled}>
            {t('confirm.yes')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
