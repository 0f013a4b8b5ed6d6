import type { FormEvent, ReactNode } from 'react'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { refusalOf } from './api'
import { useUsersText, type UsersKey } from './text'
import styles from './UserManagementPage.module.css'

interface PanelFormProps {
  label: string
  /** What the entry lacks, told before anything is sent. */
  complaint: UsersKey | null
  /** What the server refused. */
  error: Error | null
  busy: boolean
  onSubmit: () => void
  children: ReactNode
}

/** A panel's form: its fields, what is wrong beside them, and the one button. */
export function PanelForm({ label, complaint, error, busy, onSubmit, children }: PanelFormProps) {
  const t = useUsersText()
  const refused = error === null ? null : refusalOf(error)
  const told = complaint !== null ? t(complaint) : refused && t(refused.key, { message: refused.message })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) onSubmit()
  }
  return (
    <form className={styles.form} onSubmit={submit} aria-label={label} noValidate>
      {children}
      {told !== null && <Note kind="error">{told}</Note>}
      <Button kind="primary" big wide type="submit" busy={busy}>
        {label}
      </Button>
    </form>
  )
}
