import styles from './NoteText.module.css'

/** A note that the person may read and not edit, with its label. Renders nothing for an empty note. */
export function NoteText({ label, text }: { label: string; text: string }) {
  if (text.trim() === '') return null
  return (
    <dl className={styles.note}>
      <dt>{label}</dt>
      <dd>{text.trim()}</dd>
    </dl>
  )
}
