import { formatCount } from '@/lib/format'
import { useText } from '@/lib/text'
import styles from './ProgressBar.module.css'

interface ProgressProps {
  label: string
  done: number
  /** Total number of items; `null` while the total is unknown. */
  total: number | null
  quiet?: boolean
  /** Whether the server temporarily cannot report the progress. A message then replaces the counts and the bar. */
  unknown?: boolean
  /** Number of ticks (segments) of the bar. */
  ticks?: 24 | 32 | 48
}

/**
 * Returns the number of filled ticks (segments) of a bar. At least one tick is filled once an item is done, and all ticks only when all
 * items are done.
 */
export function countFilledTicks(done: number, total: number, ticks: number): number {
  if (total <= 0 || done <= 0) return 0
  return done >= total ? ticks : Math.min(Math.max(Math.round((done / total) * ticks), 1), ticks - 1)
}

/** Progress as two counts, such as `312 / 1 240`, and a bar of ticks (segments). */
export function ProgressBar({ label, done, total, quiet = false, unknown = false, ticks = 24 }: ProgressProps) {
  const t = useText()
  if (unknown) return <p className={styles.unknown}>{t('campaigns.progressUnknown')}</p>
  const complete = total !== null && total > 0 && done >= total
  return (
    <div className={styles.progress}>
      {!quiet && (
        <span className={styles.numbers}>
          {formatCount(done)} / {total === null ? '…' : formatCount(total)}
        </span>
      )}
      <progress className={`${styles.bar} ${complete ? styles.done : ''} ${styles[`ticks${ticks}`]}`} aria-label={label}
        {...(total === null ? {} : { value: countFilledTicks(done, total, ticks), max: ticks, 'aria-valuetext': `${formatCount(done)} / ${formatCount(total)}` })} />
    </div>
  )
}
