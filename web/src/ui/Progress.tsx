import { count } from '@/lib/time'
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

/** Where in the three steps of the daily work one stands. */
export function Steps({ current, labels }: { current: 1 | 2 | 3; labels: [string, string, string] }) {
  const t = useText()
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
