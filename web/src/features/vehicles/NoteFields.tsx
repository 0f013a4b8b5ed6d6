import { useText } from '@/lib/text'
import { TextArea } from '@/ui/Field'
import type { InspectionForm } from './useInspectionForm'
import styles from './NoteFields.module.css'

const LONGEST = 4000

/**
 * Returns whether a status should be explained in a note: `ng` (defect found) and `Repair`. A tap on one of these statuses opens the note
 * fields; in walk mode, the tap does not save the vehicle yet.
 */
export const shouldHaveNote = (status: string): boolean => status === 'ng' || status === 'Repair'

/** Note fields: all users can edit the operator notes, only supervisors can edit the supervisor notes. */
export function NoteFields({ inspection }: { inspection: InspectionForm }) {
  const t = useText()
  const { entry, change, supervisor, saved } = inspection
  return (
    <div className={styles.notes}>
      <TextArea label={t('vehicle.operatorNotes')} value={entry.operator_notes} maxLength={LONGEST} readOnly={saved} onChange={(event) => change({ operator_notes: event.target.value })} />
      <TextArea label={t('vehicle.adminNotes')} value={entry.admin_notes} maxLength={LONGEST} readOnly={!supervisor || saved} hint={supervisor ? null : t('vehicle.adminNotesHint')} onChange={(event) => change({ admin_notes: event.target.value })} />
    </div>
  )
}
