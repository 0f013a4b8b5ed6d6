import type { FormEvent, ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { isPasswordPromptCancelled } from '@/api/passwordPrompt'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { describeUserChangeError } from './api'
import { useUsersText, type UsersTextKey } from './text'
import styles from './UserPanelForm.module.css'

interface PanelFormProps {
  label: string
  /** Text key of the first error in the typed values; `null` when the values are valid. The form is not sent while there is an error. */
  complaint: UsersTextKey | null
  /** Error of the last request; `null` when no request has failed. */
  error: Error | null
  busy: boolean
  onSubmit: () => void
  children: ReactNode
}

/** Form of a panel of the user management: fields, error message, and submit button. A refused submission focuses the first invalid field. */
export function UserPanelForm({ label, complaint, error, busy, onSubmit, children }: PanelFormProps) {
  const t = useUsersText()
  const refused = error === null || isPasswordPromptCancelled(error) ? null : describeUserChangeError(error)
  const errorText = complaint !== null ? t(complaint) : refused && t(refused.key, { message: refused.message })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    flushSync(onSubmit)
    event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }
  return (
    <form className={styles.form} onSubmit={submit} aria-label={label} noValidate>
      {children}
      {errorText !== null && <Alert kind="error">{errorText}</Alert>}
      <Button kind="primary" big wide type="submit" busy={busy}>
        {label}
      </Button>
    </form>
  )
}
