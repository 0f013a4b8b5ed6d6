import { usePickerStepOrder, type PickerStepOrder } from '@/lib/pickerStepOrder'
import { useText } from '@/lib/text'
import styles from './StepIndicator.module.css'

/** Step indicator: campaign, yard, inspection. `first` states whether campaign or yard is picked first. */
export function StepIndicator({ current, first }: { current: 1 | 2 | 3; first?: PickerStepOrder }) {
  const t = useText()
  const picks = [t('steps.campaign'), t('steps.yard')]
  const labels = [...(usePickerStepOrder(first) === 'yardFirst' ? picks.toReversed() : picks), t('steps.inspect')]
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
