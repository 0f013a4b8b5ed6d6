import { formatCount } from '@/lib/time'
import { usePickOrder, type PickOrder } from '@/lib/pickOrder'
import { useText } from '@/lib/text'
import styles from './Progress.module.css'

interface ProgressProps {
  label: string
  done: number
  /** Total number of items; `null` while the total is unknown. */
  total: number | null
  quiet?: boolean
  /** Whether the server cannot report the progress at present. */
  unknown?: boolean
  /** Number of ticks (segments) of the bar. */
  ticks?: 24 | 32 | 48
}

/**
 * Returns the number of filled ticks (segments) of a bar. At least one tick is filled once an item is done, and all ticks only when all
 * items are done.
 */
export function countTicks(done: number, total: number, ticks: number): number {
  if (total <= 0 || done <= 0) return 0
  return done >= total ? ticks : Math.min(Math.max(Math.round((done / total) * ticks), 1), ticks - 1)
}

/** Progress as two counts and a bar of ticks, such as `312 / 1 240`. */
export function Progress({ label, done, total, quiet = false, unknown = false, ticks = 24 }: ProgressProps) {
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
        {...(total === null ? {} : { value: countTicks(done, total, ticks), max: ticks, 'aria-valuetext': `${formatCount(done)} / ${formatCount(total)}` })} />
    </div>
  )
}

/** Step indicator: campaign, yard, inspection. `first` states whether campaign or yard is picked first. */
export function StepIndicator({ current, first }: { current: 1 | 2 | 3; first?: PickOrder }) {
  const t = useText()
  const picks = [t('steps.campaign'), t('steps.yard')]
  const labels = [...(usePickOrder(first) === 'yardFirst' ? picks.toReversed() : picks), t('steps.inspect')]
  return (
    <ol className={styles.steps} aria-label={t('steps.label', { n: current })}>
      {labels.map((label, index) => {
        const step = index + 1
        const look = step === current ? styles.current : step < current ? styles.past : ''
        return (
          <li key={label} className={`${styles.step} ${look}`} aria-current={step === current ? 'step' : undefined}>
            <span className="ellipsis">
              {step}. {label}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
