import { createStore, useStore } from '@/lib/store'
import { Icon, type IconName } from './Icon'
import styles from './Toast.module.css'

export type ToastKind = 'success' | 'error' | 'info'
interface Toast {
  id: number
  kind: ToastKind
  text: string
  action?: string
  /** Runs once, when the time is over or when the toast is tapped, whichever is first. */
  onEnd?: () => void
}

export const TOAST_MS = 4000
const ICONS: Record<ToastKind, IconName> = { success: 'check', error: 'warning', info: 'info' }

const toasts = createStore<Toast[]>([])
let lastId = 0

interface ToastOptions {
  ms?: number
  action?: string
  onEnd?: () => void
}

/** Shows a toast and returns how to take it away without running its end. */
export function toast(kind: ToastKind, text: string, { ms = TOAST_MS, action, onEnd }: ToastOptions = {}): () => void {
  const id = ++lastId
  // What is said again and again, as while there is no network, is said in one place.
  const others = toasts.get().filter((shown) => shown.kind !== kind || shown.text !== text || shown.onEnd !== undefined)
  toasts.set([...others, { id, kind, text, action, onEnd }])
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

/** The place where toasts appear: a tap takes one away, and its end comes at once. */
export function Toaster() {
  const shown = useStore(toasts)
  return (
    <div className={styles.toaster} role="status" aria-live="polite">
      {shown.map(({ id, kind, text, action }) => (
        <button key={id} type="button" data-kind={kind} className={`${styles.toast} ${styles[kind]}`} onClick={() => finish(id)}>
          <Icon name={ICONS[kind]} size={22} />
          <span>{text}</span>
          {action && <span className={styles.action}>{action}</span>}
        </button>
      ))}
    </div>
  )
}
