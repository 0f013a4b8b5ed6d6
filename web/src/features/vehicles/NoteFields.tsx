import { useId, useRef, useState } from 'react'
import { Button } from '@/ui/Button'
import { TextArea } from '@/ui/Field'
import { NoteText } from './NoteText'
import { useInspectionText } from './text'
import type { InspectionForm } from './useInspectionForm'
import styles from './NoteFields.module.css'

const LONGEST = 4000
/** Maximum number of characters on the button of a recent note. Longer notes are shortened. */
const MAX_SHOWN = 60

/**
 * Returns whether a status calls for an explanatory note, as `ng` (defect found) and `Repair` do. A tap on one of these statuses opens the
 * note fields; in walk mode, the tap does not save the vehicle yet.
 */
export const isNoteExpectedForStatus = (status: string): boolean => status === 'ng' || status === 'Repair'

/** Note fields: all users can edit the operator notes. The supervisor notes are a field for supervisors and text for others. */
export function NoteFields({ inspection }: { inspection: InspectionForm }) {
  const t = useInspectionText()
  const box = useRef<HTMLDivElement>(null)
  const { entry, change, supervisor, saved, closed, listRecentNotes } = inspection
  const [isTyping, setIsTyping] = useState(false)
  const isEmpty = entry.operator_notes === ''
  // While the person types, the buttons keep their place, so that the text field does not move.
  const offersRecent = isNoteExpectedForStatus(entry.status) && (isEmpty || isTyping) && !saved && !closed
  const insert = (note: string) => {
    change({ operator_notes: note })
    box.current?.focus() // not the text field, which would open the keyboard of a phone
  }
  return (
    <div ref={box} className={styles.notes} tabIndex={-1}>
      {offersRecent && <RecentNotes notes={listRecentNotes()} disabled={!isEmpty} onChoose={insert} />}
      <TextArea label={t('vehicle.operatorNotes')} value={entry.operator_notes} maxLength={LONGEST} readOnly={saved} onFocus={() => setIsTyping(isEmpty)} onBlur={() => setIsTyping(false)} onChange={(event) => change({ operator_notes: event.target.value })} />
      {supervisor ? (
        <TextArea label={t('vehicle.adminNotes')} value={entry.admin_notes} maxLength={LONGEST} readOnly={saved} onChange={(event) => change({ admin_notes: event.target.value })} />
      ) : <NoteText label={t('vehicle.adminNotes')} text={entry.admin_notes} />}
    </div>
  )
}

/** Buttons with operator notes that the person saved earlier in this campaign. Each button inserts its note. */
function RecentNotes({ notes, disabled, onChoose }: { notes: string[]; disabled: boolean; onChoose: (note: string) => void }) {
  const t = useInspectionText()
  const id = useId()
  if (notes.length === 0) return null
  return (
    <div className={styles.recent} role="group" aria-labelledby={id}>
      <span id={id} className="quiet">{t('notes.recent')}</span>
      {notes.map((note) => (
        <Button key={note} disabled={disabled} aria-label={t('notes.insert', { note: shorten(note) })} onClick={() => onChoose(note)}>{shorten(note)}</Button>
      ))}
    </div>
  )
}

/** Returns a note cut to `MAX_SHOWN` characters, with an ellipsis as the last of them. */
function shorten(note: string): string {
  const characters = [...note]
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN - 1).join('')}…` : note
}
