import styles from './ParkingSpaceSign.module.css'

/** Pattern of a parking space with a row letter, such as B-204. */
const BAY = /^(\p{L}|\d)(-)(\S.*)$/u

/** Parking space drawn as a sign: the letter of the row on a dark field, the number on a light field. A space of another form is drawn as one plain sign. */
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
