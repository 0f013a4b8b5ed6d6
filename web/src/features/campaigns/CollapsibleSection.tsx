import { useState, type ReactNode } from 'react'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { Icon } from '@/ui/Icon'
import styles from './CollapsibleSection.module.css'

const NAME = 'campaign-sections'
const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string')
const readOpenSections = (): string[] => readStoredJson(localStorage, NAME, isNames) ?? []

interface CollapsibleSectionProps {
  /** Name under which this device remembers that the section is expanded. */
  name: string
  title: string
  /** Main figures of the content, shown beside the title; empty while they are unknown. */
  figures: string
  /** Content with its own heading, which the title of the section replaces. It is rendered while the section is expanded. */
  children: ReactNode
}

/** Section of the campaign page on phones, collapsed at first to its title and main figures. This device remembers an expanded section. */
export function CollapsibleSection({ name, title, figures, children }: CollapsibleSectionProps) {
  const [isOpen, setIsOpen] = useState(() => readOpenSections().includes(name))
  const toggle = (open: boolean) => {
    if (open === isOpen) return
    const others = readOpenSections().filter((one) => one !== name)
    writeStoredJson(localStorage, NAME, open ? [...others, name] : others)
    setIsOpen(open)
  }
  return (
    <details className={styles.section} open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary className={styles.summary}>
        <span className={styles.words}>
          <h2>{title}</h2>
          <span className="quiet">{figures}</span>
        </span>
        <Icon name="down" size={20} />
      </summary>
      {isOpen && <div className={styles.content}>{children}</div>}
    </details>
  )
}
