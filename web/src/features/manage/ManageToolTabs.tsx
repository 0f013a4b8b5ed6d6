import { useId, type KeyboardEvent } from 'react'
import { Icon } from '@/ui/Icon'
import type { ManagePageTool } from './ToolAccordion'
import styles from './ManageToolTabs.module.css'

interface ManageToolTabsProps {
  label: string
  tools: ManagePageTool[]
  current: string
  /** Returns whether a hidden tool stays mounted, so that its fields keep the typed values. */
  isKept: (name: string) => boolean
  onChoose: (name: string) => void
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 }

/** Tools as tabs, each with a tooltip that says what the tool is for. The content of the chosen tool is below. */
export function ManageToolTabs({ label, tools, current, isKept, onChoose }: ManageToolTabsProps) {
  const id = useId()
  const press = (event: KeyboardEvent<HTMLElement>, index: number) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    const next = tools[(index + step + tools.length) % tools.length]
    if (next === undefined) return
    document.getElementById(`${id}-${next.name}`)?.focus()
    onChoose(next.name)
  }
  return (
    <>
      <div className={styles.tabs} role="tablist" aria-label={label}>
        {tools.map(({ name, title, about, icon }, index) => (
          <button key={name} id={`${id}-${name}`} type="button" role="tab" className={styles.tab} title={about}
            aria-selected={name === current} aria-controls={name === current ? `${id}-${name}-panel` : undefined} tabIndex={name === current ? 0 : -1} onClick={() => onChoose(name)} onKeyDown={(event) => press(event, index)}>
            <Icon name={icon} size={20} />
            <strong id={`${id}-${name}-title`}>{title}</strong>
          </button>
        ))}
      </div>
      {tools.map(({ name, title, content, isList }) => (name === current || isKept(name)) && (
        <div key={name} id={`${id}-${name}-panel`} role="tabpanel" className={`${styles.panel} ${isList ? '' : styles.framed}`} aria-labelledby={`${id}-${name}-title`} hidden={name !== current}>
          <h2 className="sr-only">{title}</h2>
          {content}
        </div>
      ))}
    </>
  )
}
