import type { ReactNode } from 'react'
import { formatCount } from '@/lib/format'
import styles from './Chips.module.css'

interface ChipProps {
  text: string
  count?: number
  pressed: boolean
  onPress: () => void
}

/** Row of filter chips, which scrolls sideways on phones. */
export function ChipRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.chips} role="group" aria-label={label}>
      {children}
    </div>
  )
}

/** Filter chip: a toggle button with the number of entries that match the filter. */
export function Chip({ text, count, pressed, onPress }: ChipProps) {
  return (
    <button type="button" className={styles.chip} aria-pressed={pressed} onClick={onPress}>
      {text}
      {count !== undefined && <span className={styles.count}> {formatCount(count)}</span>}
    </button>
  )
}

interface SingleChoiceChipsProps<T> {
  label: string
  value: T
  chips: { value: T; text: string; count?: number }[]
  onChoose: (value: T) => void
}

/** Row of filter chips of which exactly one is chosen. */
export function SingleChoiceChips<T extends string | null>({ label, value, chips, onChoose }: SingleChoiceChipsProps<T>) {
  return (
    <ChipRow label={label}>
      {chips.map((chip) => (
        <Chip key={chip.value ?? 'all'} text={chip.text} count={chip.count} pressed={chip.value === value} onPress={() => onChoose(chip.value)} />
      ))}
    </ChipRow>
  )
}
