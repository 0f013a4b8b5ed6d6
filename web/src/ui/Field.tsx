import { useId, useState, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes } from 'react'
import { useText } from '@/lib/text'
import { Icon } from './Icon'
import styles from './Field.module.css'

interface Around {
  label: string
  hint?: ReactNode
  error?: string | null
}

function Framed({ id, label, hint, error, children }: Around & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {hint && (
        <div className={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error && (
        <p className={styles.error} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

const described = (id: string, { hint, error }: Partial<Around>) => ({
  'aria-invalid': error ? true : undefined,
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
})

export function TextField({ label, hint, error, className = '', ...rest }: Around & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <Framed id={id} label={label} hint={hint} error={error}>
      <input id={id} {...described(id, { hint, error })} {...rest} className={`${styles.control} ${className}`} />
    </Framed>
  )
}

/** Text field for a password, with a button that shows or hides what is typed. */
export function PasswordField({ label, hint, error, ...rest }: Around & Omit<InputHTMLAttributes<HTMLInputElement>, 'type'>) {
  const id = useId()
  const t = useText()
  const [isShown, setShown] = useState(false)
  return (
    <Framed id={id} label={label} hint={hint} error={error}>
      <div className={styles.password}>
        <input id={id} {...described(id, { hint, error })} autoCapitalize="none" spellCheck={false} {...rest} type={isShown ? 'text' : 'password'} className={styles.control} />
        <button type="button" aria-controls={id} aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          <Icon name="eye" size={20} />
          <span className="sr-only">{t('field.showPassword')}</span>
        </button>
      </div>
    </Framed>
  )
}

export function TextArea({ label, hint, error, ...rest }: Around & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId()
  return (
    <Framed id={id} label={label} hint={hint} error={error}>
      <textarea id={id} {...described(id, { hint, error })} {...rest} className={styles.control} />
    </Framed>
  )
}

export function Select({ label, hint, error, children, ...rest }: Around & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <Framed id={id} label={label} hint={hint} error={error}>
      <div className={styles.select}>
        <select id={id} {...described(id, { hint, error })} {...rest} className={styles.control}>
          {children}
        </select>
        <Icon name="down" size={18} />
      </div>
    </Framed>
  )
}
