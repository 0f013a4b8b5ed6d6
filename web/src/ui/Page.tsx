import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import { useStoredProductName } from '@/lib/product'
import { useText } from '@/lib/text'
import { Button, LinkButton } from './Button'
import { Icon, type IconName } from './Icon'
import styles from './Page.module.css'

/**
 * Whether a page is a pane of another page. In a pane, the heading is one level lower, does not take the focus, and is not used as the
 * title of the browser tab.
 */
export const SidePaneContext = createContext(false)

/** Sets the title of the browser tab to '{screen} · {product}'. */
export function usePageTitle(title: string): void {
  const product = useStoredProductName()
  const inPane = useContext(SidePaneContext)
  useEffect(() => {
    if (!inPane) document.title = `${title} · ${product}`
  }, [title, product, inPane])
}

interface PageProps {
  title: string
  /** Mark behind the title in the heading, such as a count. */
  titleMark?: ReactNode
  /** Title of the browser tab, where it differs from the heading. */
  tabTitle?: string
  /** Line below the title, such as the yard or the campaign. */
  subtitle?: ReactNode
  /** Controls at the right of the title; below the title in a narrow window. */
  besideTitle?: ReactNode
  narrow?: boolean
  children: ReactNode
}

/** Frame of a screen: the heading, which is also the title of the browser tab, and the content below. */
export function Page({ title, titleMark, tabTitle = title, subtitle, besideTitle, narrow = false, children }: PageProps) {
  usePageTitle(tabTitle)
  const heading = useArrival()
  const inPane = useContext(SidePaneContext)
  const Heading = inPane ? 'h2' : 'h1'
  return (
    <div className={`${styles.page} ${narrow ? styles.narrow : ''}`}>
      <div className={styles.heading}>
        <Heading ref={heading} tabIndex={-1} className={inPane ? 'sr-only' : undefined}>
          {title}
          {titleMark}
        </Heading>
        {subtitle}
        {besideTitle && <div className={styles.beside}>{besideTitle}</div>}
      </div>
      {children}
    </div>
  )
}

let isFirst = true

/**
 * Moves the focus to the heading of a new page, so that keyboard and screen reader start there. If an input has the focus, such as the
 * search in the header, the focus stays in that input. On the first page of a visit, the focus moves after the first paint, because
 * focusing forces a layout.
 */
function useArrival() {
  const heading = useRef<HTMLHeadingElement>(null)
  const inPane = useContext(SidePaneContext)
  useEffect(() => {
    if (inPane) return undefined
    const focus = () => {
      if (!(document.activeElement instanceof HTMLInputElement)) heading.current?.focus({ preventScroll: true })
    }
    if (!isFirst) return void focus()
    isFirst = false
    const timer = setTimeout(focus)
    return () => clearTimeout(timer)
  }, [inPane])
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

interface AlertProps {
  kind: keyof typeof ICONS
  children: ReactNode
}

/** Message box that states what happened and what to do. */
export function Alert({ kind, children }: AlertProps) {
  return (
    <div className={`${styles.note} ${styles[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} size={22} />
      <div className={styles.content}>{children}</div>
    </div>
  )
}

interface ErrorNoticeProps {
  text: string
  onRetry: () => void
  kind?: 'error' | 'warning'
  /** Whether the requested content does not exist. The notice then links to the home page, because trying again does not help. */
  isMissing?: boolean
}

/** Error message for content that failed to load, with a 'Try again' button. The kind 'warning' does not interrupt screen readers. */
export function ErrorNotice({ text, onRetry, kind = 'error', isMissing = false }: ErrorNoticeProps) {
  const t = useText()
  return (
    <Alert kind={kind}>
      <p>{text}</p>
      {isMissing ? <LinkButton to="/campaign-home">{t('menu.home')}</LinkButton> : <Button onClick={onRetry}>{t('common.tryAgain')}</Button>}
    </Alert>
  )
}

/** Message for an empty list, with an optional button for the next step. */
export function EmptyState({ icon, text, children }: { icon: IconName; text: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={36} />
      <p>{text}</p>
      {children}
    </div>
  )
}

/** Loading spinner. The spinner is hidden from screen readers, so each use needs a text beside it. */
export const Spinner = () => <span className={styles.spinner} aria-hidden="true" />

/** Delay in milliseconds after which a placeholder says that loading is taking a long time. */
const SLOW_MS = 1500

interface SkeletonProps {
  rows?: number
  height?: number
  label: string
  className?: string
  /** Called by a button that appears when loading takes long. */
  onRetry?: () => void
}

/** Placeholder of grey rows, shown while content is loading. `className` can override the height. */
export function Skeleton({ rows = 1, height = 72, label, className, onRetry }: SkeletonProps) {
  const t = useText()
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setIsSlow, SLOW_MS, true)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.skeletons} role="status" aria-label={label}>
      {isSlow && (
        <p className={styles.slow}>
          {t('common.slow')} {onRetry && <Button onClick={onRetry}>{t('common.tryAgain')}</Button>}
        </p>
      )}
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`${styles.skeleton} ${className ?? ''}`} style={className === undefined ? { height } : undefined} />
      ))}
    </div>
  )
}
