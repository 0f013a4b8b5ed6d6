import { useEffect, type ReactNode } from 'react'
import { useText } from '@/lib/text'
import { Button } from './Button'
import { Icon, type IconName } from './Icon'
import styles from './Page.module.css'

interface PageProps {
  title: string
  /** What stands below the title: the yard, the campaign. */
  subtitle?: ReactNode
  narrow?: boolean
  children: ReactNode
}

/** One screen: its heading, which is also the tab's title, and its parts below each other. */
export function Page({ title, subtitle, narrow = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Patio`
  }, [title])
  return (
    <div className={`${styles.page} ${narrow ? styles.narrow : ''}`}>
      <div className={styles.heading}>
        <h1>{title}</h1>
        {subtitle}
      </div>
      {children}
    </div>
  )
}

export function Card({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <section className={styles.card} aria-label={label}>
      {children}
    </section>
  )
}

const ICONS: Record<'error' | 'success' | 'info' | 'warning', IconName> = {
  error: 'warning',
  success: 'check',
  info: 'info',
  warning: 'warning',
}

/** Says what happened and what to do, beside the thing it concerns. */
export function Note({ kind, children }: { kind: keyof typeof ICONS; children: ReactNode }) {
  return (
    <div className={`${styles.note} ${styles[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} size={22} />
      <div className={styles.content}>{children}</div>
    </div>
  )
}

/** A part that could not be loaded, with the way to try again. */
export function Failure({ text, onRetry }: { text: string; onRetry: () => void }) {
  const t = useText()
  return (
    <Note kind="error">
      <p>{text}</p>
      <Button onClick={onRetry}>{t('common.tryAgain')}</Button>
    </Note>
  )
}

/** Says what will be here and offers the step that fills it. */
export function Empty({ icon, text, children }: { icon: IconName; text: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={36} />
      <p>{text}</p>
      {children}
    </div>
  )
}

/** Stands in the shape of what comes. */
export function Skeleton({ rows = 1, height = 72, label }: { rows?: number; height?: number; label: string }) {
  return (
    <div className={styles.skeletons} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={styles.skeleton} style={{ height }} />
      ))}
    </div>
  )
}
