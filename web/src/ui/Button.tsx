import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from '@/lib/route'
import { Icon, type IconName } from './Icon'
import styles from './Button.module.css'

interface Face {
  kind?: 'primary' | 'secondary' | 'quiet' | 'danger'
  big?: boolean
  wide?: boolean
  icon?: IconName
  children?: ReactNode
}

const classes = ({ kind = 'secondary', big, wide }: Face) =>
  [styles.button, styles[kind], big && styles.big, wide && styles.wide].filter(Boolean).join(' ')

type ButtonProps = Face & ButtonHTMLAttributes<HTMLButtonElement> & { busy?: boolean }

/** Button that shows a spinner while `busy` and keeps its width. */
export function Button({ kind, big, wide, icon, busy = false, disabled, children, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={classes({ kind, big, wide })} disabled={disabled || busy} aria-busy={busy}>
      <span className={styles.face}>
        {icon && <Icon name={icon} size={20} />}
        {children}
      </span>
      {busy && <span className={styles.spinner} aria-hidden="true" />}
    </button>
  )
}

/** Link styled as a button. */
export function LinkButton({ to, kind, big, wide, icon, children }: Face & { to: string }) {
  return (
    <Link href={to} className={classes({ kind, big, wide })}>
      {icon && <Icon name={icon} size={20} />}
      {children}
    </Link>
  )
}

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & { icon: IconName; label: string; text?: string; danger?: boolean; busy?: boolean }

/** Icon button with an optional visible word. The label is its accessible name and its tooltip. */
export function IconButton({ icon, label, text, danger = false, busy = false, disabled, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} className={iconClasses(text, danger)} disabled={disabled || busy} aria-busy={busy} aria-label={label} title={label}>
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : <Icon name={icon} size={22} />}
      {text && <span>{text}</span>}
    </button>
  )
}

const iconClasses = (text: string | undefined, danger = false) => [styles.icon, text && styles.iconText, danger && styles.iconDanger].filter(Boolean).join(' ')

interface IconFileProps {
  icon: IconName
  label: string
  text?: string
  accept: string
  busy: boolean
  disabled: boolean
  onChoose: (file: File) => void
}

/** Icon button that opens a file picker. */
export function FilePickerButton({ icon, label, text, accept, busy, disabled, onChoose }: IconFileProps) {
  return (
    <label className={`${iconClasses(text)} ${styles.iconFile}`} aria-busy={busy} title={label}>
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : <Icon name={icon} size={22} />}
      {text}
      <input type="file" className="sr-only" accept={accept} disabled={disabled || busy} aria-label={label}
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) onChoose(file)
        }} />
    </label>
  )
}
