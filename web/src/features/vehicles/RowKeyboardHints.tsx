import { useVehicleListText } from './listText'
import styles from './RowKeyboardHints.module.css'

/** Hint for the keys that act on the focused row, shown on devices with a mouse. */
export function RowKeyboardHints({ selects }: { selects: boolean }) {
  const t = useVehicleListText()
  const hints: [keys: string[], what: string][] = [
    [['↑', '↓'], t('keys.walk')],
    [['Enter'], t('keys.open')],
    [['Esc'], t('keys.close')],
    ...(selects ? [[[t('keys.space')], t('keys.select')] satisfies [string[], string]] : []),
    [['[', ']'], t('keys.page')],
    [['/'], t('keys.search')],
  ]
  return (
    <p className={styles.hint}>
      {hints.map(([keys, what]) => (
        <span key={what}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          {what}
        </span>
      ))}
    </p>
  )
}
