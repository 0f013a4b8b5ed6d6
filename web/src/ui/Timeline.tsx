import type { ReactNode, Ref } from 'react'
import { formatDate, formatTime } from '@/lib/format'
import { Icon, type IconName } from './Icon'
import { useTimelineText } from './TimelineText'
import styles from './Timeline.module.css'

/** List of events, newest first. */
export function Timeline({ children }: { children: ReactNode }) {
  return <ol className={styles.entries}>{children}</ol>
}

/** Line of a timeline that is not an event, such as a button that loads older events. */
export function TimelineFooter({ children }: { children: ReactNode }) {
  return <li className={styles.more}>{children}</li>
}

interface TimelineItemProps {
  ref?: Ref<HTMLLIElement> | undefined
  icon: IconName
  /** Title of the event; `null` when the changed values describe the event. */
  title: string | null
  /** Name of the person who caused the event. */
  by: string
  at: string
  /** Origin of the event, such as a CSV file, shown beside person and time. */
  way?: ReactNode
  below?: ReactNode
  /** Changed fields with their old and new values. */
  children?: ReactNode
}

/** Event of a timeline: what changed, and who changed it when. */
export function TimelineItem({ ref, icon, title, by, at, way, below, children }: TimelineItemProps) {
  return (
    <li ref={ref} tabIndex={-1} className={styles.entry}>
      <span className={styles.sign}>
        <Icon name={icon} size={18} />
      </span>
      <div className={styles.words}>
        {title !== null && <p className={styles.title}>{title}</p>}
        {children}
        <p className={styles.facts}>
          <span className={styles.person}>{by}</span>
          <time dateTime={at}>
            {formatDate(at)} {formatTime(at)}
          </time>
          {way}
        </p>
        {below !== undefined && <p className={styles.facts}>{below}</p>}
      </div>
    </li>
  )
}

/** Row of a timeline event: the name of a changed field, and beside the name its old and new value. */
export function TimelineField({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.change}>
      <span className={styles.field}>{name}</span>
      {children}
    </div>
  )
}

/** Old and new value of a field with an arrow between them. Screen readers read a word in place of the arrow. */
export function ValueChange({ old, value }: { old: ReactNode; value: ReactNode }) {
  const t = useTimelineText()
  return (
    <span className={styles.values}>
      {old}
      <span className={styles.arrow}>
        <Icon name="arrow" size={16} />
        <span className="sr-only"> {t('history.to')} </span>
      </span>
      {value}
    </span>
  )
}
