import type { KeyboardEvent } from 'react'
import { Link } from '@/lib/route'
import styles from './LinkTabs.module.css'

interface LinkChoice {
  text: string
  to: string
  current: boolean
}

/** Links shown as tabs side by side, with the current page marked. */
export function LinkTabs({ label, choices }: { label: string; choices: LinkChoice[] }) {
  return (
    <nav className={styles.choice} aria-label={label}>
      {choices.map(({ text, to, current }) => (
        <Link key={to} href={to} className={styles.option} aria-current={current ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  )
}

interface TabsProps<T extends string> {
  label: string
  value: T
  tabs: { value: T; text: string }[]
  onChange: (value: T) => void
}

/** Tabs that filter the list below them. Arrow keys move between the tabs. */
export function FilterTabs<T extends string>({ label, value, tabs, onChange }: TabsProps<T>) {
  const press = ({ key, currentTarget }: KeyboardEvent) => {
    const neighbour = key === 'ArrowRight' ? currentTarget.nextElementSibling : key === 'ArrowLeft' ? currentTarget.previousElementSibling : null
    if (neighbour instanceof HTMLElement) {
      neighbour.focus()
      neighbour.click()
    }
  }
  return (
    <div className={styles.choice} role="tablist" aria-label={label}>
      {tabs.map((tab) => (
        <button key={tab.value} type="button" role="tab" className={styles.option} aria-selected={tab.value === value} tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
          onKeyDown={press}>
          {tab.text}
        </button>
      ))}
    </div>
  )
}
