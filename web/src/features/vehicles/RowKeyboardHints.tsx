import { useKeyboardHelpEntries } from '@/lib/keyboardHelp'
import { useVehicleListText } from './listText'
import styles from './RowKeyboardHints.module.css'

interface RowKeyboardHintsProps {
  /** Whether rows can be selected. */
  selects: boolean
  /** Whether a vehicle opens beside the list. Only then is there room for the hint below the rows. */
  isSplit: boolean
}

/** Hint for the keys that act on the focused row, shown on devices with a mouse. The keyboard help lists the same keys. */
export function RowKeyboardHints({ selects, isSplit }: RowKeyboardHintsProps) {
  const t = useVehicleListText()
  const hints = [
    { keys: ['↑', '↓'], label: t('keys.walk') },
    { keys: ['Enter'], label: t('keys.open') },
    ...(isSplit ? [{ keys: ['Esc'], label: t('keys.close') }] : []),
    ...(selects ? [{ keys: [t('keys.space')], label: t('keys.select') }] : []),
    { keys: ['[', ']'], label: t('keys.page') },
  ]
  useKeyboardHelpEntries(hints)
  if (!isSplit) return null
  return (
    <p className={styles.hint}>
      {[...hints, { keys: ['/'], label: t('keys.search') }].map(({ keys, label }) => (
        <span key={label}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          {label}
        </span>
      ))}
    </p>
  )
}
