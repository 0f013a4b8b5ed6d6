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

/** A button that keeps its width while it works. */
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

/** A link that looks like a button. */
export function LinkButton({ to, kind, big, wide, icon, children }: Face & { to: string }) {
  return (
    <Link href={to} className={classes({ kind, big, wide })}>
      {icon && <Icon name={icon} size={20} />}
      {children}
    </Link>
  )
}

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & { icon: IconName; label: string; danger?: boolean; busy?: boolean }

/** A button that is only an icon; its label is read out and shown on pointing at it. */
export function IconButton({ icon, label, danger = false, busy = false, disabled, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} className={`${styles.icon} ${danger ? styles.iconDanger : ''}`} disabled={disabled || busy} aria-busy={busy} aria-label={label} title={label}>
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : <Icon name={icon} size={22} />}
    </button>
  )
}

interface IconFileProps {
  icon: IconName
  label: string
  accept: string
  busy: boolean
  disabled: boolean
  onChoose: (file: File) => void
}

/** An icon that asks for a file. */
export function IconFile({ icon, label, accept, busy, disabled, onChoose }: IconFileProps) {
  return (
    <label className={`${styles.icon} ${styles.iconFile}`} aria-busy={busy} title={label}>
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : <Icon name={icon} size={22} />}
      <input type="file" className="sr-only" accept={accept} disabled={disabled || busy} aria-label={label}
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) onChoose(file)
        }} />
    </label>
  )
}
