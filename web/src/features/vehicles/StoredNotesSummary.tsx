import type { Vehicle } from '@/api/types'
import { useInspectionText } from './text'
import styles from './StoredNotesSummary.module.css'

/** Notes from earlier inspections of the vehicle, each cut to one or two lines. The notes step of the form shows their full text. */
export function StoredNotesSummary({ vehicle: { operator_notes, admin_notes } }: { vehicle: Vehicle }) {
  const t = useInspectionText()
  const notes = [{ label: t('notes.operator'), text: operator_notes.trim() }, { label: t('notes.supervisor'), text: admin_notes.trim() }].filter(({ text }) => text !== '')
  if (notes.length === 0) return null
  return (
    <div className={styles.notes}>
      {notes.map(({ label, text }) => (
        <p key={label} title={text}><strong>{label}:</strong> {text}</p>
      ))}
    </div>
  )
}
