import { useState } from 'react'
import { createFormDraftHook } from '@/api/formDrafts'
import { ACCESS_LEVELS } from '@/lib/roles'
import { PasswordField, TextField } from '@/ui/Field'
import { showToast } from '@/ui/Toast'
import { useCreateUser } from './api'
import { AccessLevelSelect } from './UserSelects'
import { UserPanelForm } from './UserPanelForm'
import { findNewUserFormError, isPasswordConfirmationWrong, type NewUserForm } from './newUserValidation'
import { useUsersText, type UsersTextKey } from './text'
import styles from './CreateUserPanel.module.css'

const NOTHING: NewUserForm = { hmc: '', password: '', confirmation: '', user_type: '', must_change_password: true }
const useEntry = createFormDraftHook(NOTHING)

export function CreateUserPanel() {
  const t = useUsersText()
  const [entry, setEntry] = useEntry()
  const [complaint, setComplaint] = useState<UsersTextKey | null>(null)
  const create = useCreateUser()
  const change = (part: Partial<NewUserForm>) => setEntry({ ...entry, ...part })
  const invalid = (isWrong: boolean) => (complaint !== null && isWrong) || undefined
  const submit = () => {
    const wrong = findNewUserFormError(entry)
    const user_type = ACCESS_LEVELS.find((type) => type === entry.user_type)
    setComplaint(wrong)
    if (wrong !== null || user_type === undefined) return
    create.mutate({ hmc: entry.hmc.trim(), password: entry.password, user_type, must_change_password: entry.must_change_password }, {
      onSuccess: () => {
        setEntry(NOTHING)
        showToast('success', t('users.created'))
      },
    })
  }
  return (
    <UserPanelForm label={t('users.create')} complaint={complaint} error={create.error} busy={create.isPending} onSubmit={submit}>
      <TextField label={t('users.hmc')} aria-invalid={invalid(entry.hmc.trim() === '')} value={entry.hmc} onChange={(event) => change({ hmc: event.target.value })} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <PasswordField label={t('users.newPassword')} hint={t('users.passwordHint')} autoComplete="new-password" aria-invalid={invalid(entry.password === '')} value={entry.password} onChange={(event) => change({ password: event.target.value })} />
      <PasswordField label={t('users.confirmation')} autoComplete="new-password" aria-invalid={invalid(isPasswordConfirmationWrong(entry))} value={entry.confirmation} onChange={(event) => change({ confirmation: event.target.value })} />
      <AccessLevelSelect label={t('users.level')} isInvalid={complaint !== null && entry.user_type === ''} value={entry.user_type} onChange={(user_type) => change({ user_type })} />
      <label className={styles.check}>
        <input type="checkbox" checked={entry.must_change_password} onChange={(event) => change({ must_change_password: event.target.checked })} />
        {t('users.askNew')}
      </label>
    </UserPanelForm>
  )
}
