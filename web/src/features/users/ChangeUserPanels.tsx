import { createFormDraftHook } from '@/api/formDrafts'
import type { User } from '@/api/types'
import { ACCESS_LEVELS } from '@/lib/roles'
import { PasswordField, TextField } from '@/ui/Field'
import { AccessLevelSelect, UserSelect } from './UserSelects'
import { UserPanelForm } from './UserPanelForm'
import { findPasswordFormError, isPasswordConfirmationWrong } from './newUserValidation'
import { useUsersText } from './text'
import { useSubmitUserChange } from './useSubmitUserChange'

const NO_PASSWORD = { user: '', password: '', confirmation: '' }
const NO_LEVEL = { user: '', level: '' }
const NO_HMC = { user: '', hmc: '' }
const usePassword = createFormDraftHook(NO_PASSWORD)
const useLevel = createFormDraftHook(NO_LEVEL)
const useHmc = createFormDraftHook(NO_HMC)

interface PanelProps {
  /** User whose drawer contains the panel; when absent, the panel has a field to choose the user. */
  chosen?: User
}

/** Returns the draft if it was typed for the chosen user, or if no user is chosen. Otherwise returns an empty draft for the chosen user. */
function draftFor<T extends { user: string }>(draft: T, chosen: User | undefined, empty: T): T {
  const user = String(chosen?.id)
  return chosen === undefined || draft.user === user ? draft : { ...empty, user }
}

export function ChangePasswordPanel({ chosen }: PanelProps) {
  const t = useUsersText()
  const [draft, setEntry] = usePassword()
  const entry = draftFor(draft, chosen, NO_PASSWORD)
  const { user, password, confirmation } = entry
  const { submit, ...state } = useSubmitUserChange(() => setEntry(NO_PASSWORD))
  const send = () => submit({ user, complaint: findPasswordFormError(user, password, confirmation), change: { password }, done: 'users.passwordChanged' })
  return (
    <UserPanelForm label={t('users.password')} {...state} onSubmit={send}>
      {!chosen && <UserSelect isInvalid={state.complaint !== null && user === ''} value={user} onChange={(id) => setEntry({ ...entry, user: id })} />}
      <PasswordField label={t('users.newPassword')} hint={t('users.passwordHint')} autoComplete="new-password" aria-invalid={(state.complaint !== null && password === '') || undefined} value={password} onChange={(event) => setEntry({ ...entry, password: event.target.value })} />
      <PasswordField label={t('users.confirmation')} autoComplete="new-password" aria-invalid={(state.complaint !== null && isPasswordConfirmationWrong(entry)) || undefined} value={confirmation} onChange={(event) => setEntry({ ...entry, confirmation: event.target.value })} />
      <p className="quiet">
        {t('users.endsSessions')} {t('users.choosesOwn')}
      </p>
    </UserPanelForm>
  )
}

export function ChangeAccessLevelPanel({ chosen }: PanelProps) {
  const t = useUsersText()
  const [draft, setEntry] = useLevel()
  const entry = draftFor(draft, chosen, NO_LEVEL)
  const { user, level } = entry
  const { submit, ...state } = useSubmitUserChange(() => setEntry(NO_LEVEL))
  const user_type = ACCESS_LEVELS.find((type) => type === level)
  const send = () => submit({ user, complaint: user === '' || user_type === undefined ? 'users.levelMissing' : null, change: { user_type }, done: 'users.levelChanged' })
  return (
    <UserPanelForm label={t('users.permission')} {...state} onSubmit={send}>
      {!chosen && <UserSelect isInvalid={state.complaint !== null && user === ''} value={user} onChange={(id) => setEntry({ ...entry, user: id })} />}
      <AccessLevelSelect label={t('users.newLevel')} isInvalid={state.complaint !== null && level === ''} value={level} onChange={(next) => setEntry({ ...entry, level: next })} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </UserPanelForm>
  )
}

export function ChangeHmcPanel({ chosen }: PanelProps) {
  const t = useUsersText()
  const [draft, setEntry] = useHmc()
  const entry = draftFor(draft, chosen, NO_HMC)
  const { user, hmc } = entry
  const { submit, ...state } = useSubmitUserChange(() => setEntry(NO_HMC))
  const send = () => submit({ user, complaint: user === '' || hmc.trim() === '' ? 'users.hmcMissing' : null, change: { hmc: hmc.trim() }, done: 'users.renamed' })
  return (
    <UserPanelForm label={t('users.rename')} {...state} onSubmit={send}>
      {!chosen && <UserSelect isInvalid={state.complaint !== null && user === ''} value={user} onChange={(id) => setEntry({ ...entry, user: id })} />}
      <TextField label={t('users.newHmc')} aria-invalid={(state.complaint !== null && hmc.trim() === '') || undefined} value={hmc} onChange={(event) => setEntry({ ...entry, hmc: event.target.value })} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </UserPanelForm>
  )
}
