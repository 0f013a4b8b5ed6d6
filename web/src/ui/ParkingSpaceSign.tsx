import styles from './ParkingSpaceSign.module.css'

/** Pattern of a parking space whose row is a single letter or digit, such as row B in B-204. */
const BAY = /^(\p{L}|\d)(-)(\S.*)$/u

/**
 * Parking space drawn as a sign: the row (one letter or digit) on a dark field, the rest on a light field. A parking space without such a
 * row is drawn on one light field.
 */
export function ParkingSpaceSign({ space, size }: { space: string; size: 'small' | 'page' | 'large' }) {
  const [, row, dash, number] = BAY.exec(space) ?? []
  return (
    <span className={`${styles.plate} ${styles[size]}`} role="img" aria-label={space} title={space}>
      {row !== undefined && <span className={styles.row}>{row}</span>}
      {dash !== undefined && <span className={styles.dash}>{dash}</span>}
      <span className={styles.number}>{number ?? space}</span>
    </span>
  )
}
