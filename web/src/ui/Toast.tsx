import { useEffect, useRef } from 'react'
import { createStore, useStore } from '@/lib/store'
import { Icon, type IconName } from './Icon'
import styles from './Toast.module.css'

export type ToastKind = 'success' | 'error' | 'info'
interface Toast {
  id: number
  kind: ToastKind
  text: string
  action?: string
  /** Called when the toast is tapped. */
  onTap?: () => void
  /** Called once: when the toast times out or is tapped. */
  onEnd?: () => void
}

export const TOAST_DURATION_MS = 4000
const ICONS: Record<ToastKind, IconName> = { success: 'check', error: 'warning', info: 'info' }

const toasts = createStore<Toast[]>([])
let lastId = 0

interface ToastOptions {
  ms?: number
  action?: string
  onTap?: () => void
  onEnd?: () => void
}

/** Shows a toast. Returns a function that hides the toast without calling `onEnd`. */
export function showToast(kind: ToastKind, text: string, { ms = TOAST_DURATION_MS, action, onTap, onEnd }: ToastOptions = {}): () => void {
  const id = ++lastId
  // A repeated message, such as an error while offline, replaces its earlier toast.
  const others = toasts.get().filter((shown) => shown.kind !== kind || shown.text !== text || shown.onEnd !== undefined)
  toasts.set([...others, { id, kind, text, action, onTap, onEnd }])
  setTimeout(finish, ms, id)
  return () => remove(id)
}

function remove(id: number): Toast | undefined {
  const found = toasts.get().find((shown) => shown.id === id)
  if (found) toasts.set(toasts.get().filter((shown) => shown.id !== id))
  return found
}

function finish(id: number): void {
  remove(id)?.onEnd?.()
}

/**
 * Container of the toasts. On wide screens, it is in the lower right corner. On narrow screens, it is above the bottom bar of the page, or
 * below the header if the page has no bottom bar. A tap hides a toast and calls the `onEnd` of that toast.
 */
export function Toaster() {
  const shown = useStore(toasts)
  const element = useRef<HTMLDivElement>(null)
  const isShown = shown.length > 0
  useEffect(() => {
    if (isShown) return followBottomBar(element.current)
  }, [isShown])
  return (
    <div ref={element} className={styles.toaster} role="status" aria-live="polite">
      {shown.map(({ id, kind, text, action, onTap }) => (
        <button key={id} type="button" data-kind={kind} className={`${styles.toast} ${styles[kind]}`} onClick={() => { finish(id); onTap?.() }}>
          <Icon name={ICONS[kind]} size={22} />
          <span>{text}</span>
          {action && <span className={styles.action}>{action}</span>}
        </button>
      ))}
    </div>
  )
}

const BAR_CHECK_MS = 100

/**
 * Keeps the toasts above the bottom bars of the page. Measures the bars ten times a second, because their height differs between pages.
 * Ignores bars to the left of the toasts. Returns a function that stops these updates.
 */
function followBottomBar(element: HTMLElement | null): () => void {
  const follow = () => {
    const left = element?.getBoundingClientRect().left ?? 0
    const tops = [...document.querySelectorAll('[data-bottom-bar], [data-selection-bar]')].map((bar) => bar.getBoundingClientRect()).filter((bar) => bar.right > left).map((bar) => bar.top)
    const height = Math.max(0, window.innerHeight - Math.min(window.innerHeight, ...tops))
    element?.toggleAttribute('data-above-bar', height > 0)
    element?.style.setProperty('--bar-height', `${height}px`)
  }
  follow()
  const timer = setInterval(follow, BAR_CHECK_MS)
  return () => clearInterval(timer)
}
