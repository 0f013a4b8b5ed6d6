import { useEffect, useRef, type ReactNode } from 'react'
import { useProduct } from '@/lib/product'
import { useText } from '@/lib/text'
import { Button } from './Button'
import { Icon, type IconName } from './Icon'
import styles from './Page.module.css'

/** What the tab is called: the screen, then the product. */
export function useTitle(title: string): void {
  const product = useProduct()
  useEffect(() => {
    document.title = `${title} · ${product}`
  }, [title, product])
}

interface PageProps {
  title: string
  /** What stands below the title: the yard, the campaign. */
  subtitle?: ReactNode
  narrow?: boolean
  children: ReactNode
}

/** One screen: its heading, which is also the tab's title, and its parts below each other. */
export function Page({ title, subtitle, narrow = false, children }: PageProps) {
  useTitle(title)
  const heading = useArrival()
  return (
    <div className={`${styles.page} ${narrow ? styles.narrow : ''}`}>
      <div className={styles.heading}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {subtitle}
      </div>
      {children}
    </div>
  )
}

let first = true

/** Who comes from another screen begins at the heading, so that keyboard and screen reader start there. */
function useArrival() {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!first) heading.current?.focus({ preventScroll: true })
    first = false
  }, [])
  return heading
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

/** Turns while something is waited for; the words beside it say for what. */
export const Spinner = () => <span className={styles.spinner} aria-hidden="true" />

/** Stands in the shape of what comes; a class of the screen's own gives another height. */
export function Skeleton({ rows = 1, height = 72, label, className }: { rows?: number; height?: number; label: string; className?: string }) {
  return (
    <div className={styles.skeletons} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`${styles.skeleton} ${className ?? ''}`} style={className === undefined ? { height } : undefined} />
      ))}
    </div>
  )
}
