import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { createPortal } from 'react-dom'
import { Icon, type IconName } from './Icon'
import { Spinner } from './Page'
import styles from './ActionMenu.module.css'

/** One entry of an action menu. The label is the accessible name and starts with the visible text. */
interface MenuAction {
  icon: IconName
  text: string
  label: string
  /** Whether the action deletes something. The menu draws a line above the first such action, so these actions must come last. */
  danger?: boolean
  disabled?: boolean
}

export type ActionMenuItem = MenuAction & ({ onSelect: () => void } | { /** File types that the file picker of the action accepts. */ accept: string; onFile: (file: File) => void })

interface ActionMenuProps {
  label: string
  actions: ActionMenuItem[]
  /** Whether an action of this menu is running. */
  busy?: boolean
}

const GAP = 4
const EDGE = 8
const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Button with three dots that opens a menu of less frequent actions, each with an icon and a text. */
export function ActionMenu({ label, actions, busy = false }: ActionMenuProps) {
  const [open, setOpen] = useState(false)
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const id = useId()
  const close = (focus: boolean) => {
    setOpen(false)
    if (focus) button?.focus()
  }
  return (
    <>
      <button ref={setButton} type="button" className={styles.dots} aria-label={label} title={label} aria-haspopup="menu" aria-expanded={open} aria-busy={busy} onClick={() => setOpen(!open)}>
        {busy ? <Spinner /> : <Dots />}
      </button>
      {actions.map((action, index) => 'onFile' in action && <FileInput key={action.label} id={`${id}-${index}`} {...action} />)}
      {open && createPortal(<Menu id={id} label={label} actions={actions} button={button} onClose={close} />, document.querySelector('main') ?? document.body)}
    </>
  )
}

const Dots = () => (
  <svg width={22} height={22} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true" focusable="false">
    <path d="M5 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM19 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z" />
  </svg>
)

/** Hidden file input of an action. Choosing the menu entry opens its file picker. */
function FileInput({ id, label, accept, disabled, onFile }: Extract<ActionMenuItem, { accept: string }> & { id: string }) {
  return (
    <input id={id} type="file" hidden accept={accept} disabled={disabled} aria-label={label}
      onChange={(event) => {
        const file = event.target.files?.[0]
        event.target.value = ''
        if (file) onFile(file)
      }} />
  )
}

interface MenuProps {
  /** Prefix of the file inputs' ids; each id ends with the index of the input's action. */
  id: string
  label: string
  actions: ActionMenuItem[]
  button: HTMLElement | null
  onClose: (focus: boolean) => void
}

function Menu({ id, label, actions, button, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  const firstDanger = actions.findIndex(({ danger }) => danger)

  useEffect(() => {
    const [list, origin] = [menu.current, button?.getBoundingClientRect()]
    if (list === null || origin === undefined) return
    const { width, height } = list.getBoundingClientRect()
    const below = origin.bottom + GAP + height <= window.innerHeight - EDGE
    list.style.left = `${Math.max(EDGE, origin.right - width)}px`
    list.style.top = `max(var(--header) + ${EDGE}px, ${below ? origin.bottom + GAP : origin.top - GAP - height}px)`
    list.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus({ preventScroll: true })
  }, [button])

  useEffect(() => {
    const outside = ({ target }: Event) => {
      if (target instanceof Node && !menu.current?.contains(target) && !button?.contains(target)) onClose(false)
    }
    const scrolled = () => onClose(false)
    window.addEventListener('pointerdown', outside)
    window.addEventListener('scroll', scrolled)
    window.addEventListener('resize', scrolled)
    return () => {
      window.removeEventListener('pointerdown', outside)
      window.removeEventListener('scroll', scrolled)
      window.removeEventListener('resize', scrolled)
    }
  }, [button, onClose])

  const press = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])]
    const step = STEPS[event.key]
    if (step !== undefined) {
      event.preventDefault()
      items[step(items.findIndex((item) => item === document.activeElement), items.length)]?.focus()
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      onClose(true)
    }
  }
  const select = (action: ActionMenuItem, index: number) => {
    onClose(true)
    if ('onSelect' in action) action.onSelect()
    else document.getElementById(`${id}-${index}`)?.click()
  }
  return (
    <div ref={menu} className={styles.menu} role="menu" tabIndex={-1} aria-label={label} onKeyDown={press}>
      {actions.map((action, index) => (
        <Entry key={action.label} action={action} isApart={index === firstDanger && index > 0} onSelect={() => select(action, index)} />
      ))}
    </div>
  )
}

function Entry({ action: { icon, text, label, danger, disabled }, isApart, onSelect }: { action: ActionMenuItem; isApart: boolean; onSelect: () => void }) {
  return (
    <>
      {isApart && <hr />}
      <button type="button" role="menuitem" tabIndex={-1} className={`${styles.item} ${danger ? styles.danger : ''}`} aria-label={label} disabled={disabled} onClick={onSelect}>
        <Icon name={icon} size={20} />
        <span>{text}</span>
      </button>
    </>
  )
}
