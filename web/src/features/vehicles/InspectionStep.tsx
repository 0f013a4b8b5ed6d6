import { useId, type ReactNode } from 'react'
import { useText } from '@/lib/text'
import { Icon } from '@/ui/Icon'
import styles from './InspectionStep.module.css'

interface StepProps {
  n: number
  title: string
  done: boolean
  /** Whether the step is collapsed to its heading. A person can expand and collapse a step that has `onToggle`. */
  collapsed?: boolean
  onToggle?: () => void
  /** Note at the right of the title. */
  note?: string | undefined
  /** Line below the title of a collapsed step. */
  summary?: ReactNode
  /** Whether the step takes half the width of the row while it is collapsed. */
  half?: boolean
  /** Whether the content is on the same line as the title. */
  row?: boolean
  children: ReactNode
}

/** One numbered step of the inspection. A completed step has a check mark instead of its number. */
export function InspectionStep({ n, title, done, collapsed = false, onToggle, note, summary, half = false, row = false, children }: StepProps) {
  const t = useText()
  const id = useId()
  const heading = (
    <>
      <span className={done ? styles.ticked : styles.number}>{done ? <Icon name="check" size={16} /> : n}</span>
      <span className={styles.title}>
        {title}
        {done && <span className="sr-only"> {t('vehicle.stepDone')}</span>}
        {collapsed && summary !== undefined && <span className={styles.summary}>{summary}</span>}
      </span>
    </>
  )
  return (
    <section className={`${styles.step} ${collapsed ? styles.collapsed : ''}`} data-step={n} data-half={(collapsed && half) || undefined} data-row={(row && !collapsed) || undefined} aria-labelledby={id}>
      <div className={styles.top}>
        <h2 id={id} className={styles.heading}>
          {onToggle === undefined ? heading : (
            <button type="button" className={styles.fold} aria-expanded={!collapsed} onClick={onToggle}>
              {heading}
              <Icon name="down" size={20} />
            </button>
          )}
        </h2>
        {note && <p className={styles.note}>{note}</p>}
      </div>
      <div className={styles.body} hidden={collapsed}>{children}</div>
    </section>
  )
}
