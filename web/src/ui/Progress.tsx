import { count } from '@/lib/time'
import { useOrder, type Order } from '@/lib/order'
import { useText } from '@/lib/text'
import styles from './Progress.module.css'

interface ProgressProps {
  label: string
  done: number
  /** Null while nobody knows yet how much there is. */
  total: number | null
  quiet?: boolean
}

/** Progress as number and bar: `312 / 1 240`. */
export function Progress({ label, done, total, quiet = false }: ProgressProps) {
  const complete = total !== null && total > 0 && done >= total
  return (
    <div className={styles.progress}>
      {!quiet && (
        <span className={styles.numbers}>
          {count(done)} / {total === null ? '…' : count(total)}
        </span>
      )}
      <progress className={`${styles.bar} ${complete ? styles.done : ''}`} aria-label={label} {...(total === null ? {} : { value: done, max: Math.max(total, 1) })} />
    </div>
  )
}

/** The three steps of the daily work in the order in which the person takes them; `first` is given where it is picked. */
export function Steps({ current, first }: { current: 1 | 2 | 3; first?: Order }) {
  const t = useText()
  const picks = [t('steps.campaign'), t('steps.yard')]
  const labels = [...(useOrder(first) === 'yard' ? picks.toReversed() : picks), t('steps.inspect')]
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
