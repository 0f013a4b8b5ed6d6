import { useListText } from './listText'
import styles from './KeyHints.module.css'

/** Hint for the keys that act on the focused row, shown on devices with a mouse. */
export function KeyHints({ selects }: { selects: boolean }) {
  const t = useListText()
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
