import { draftOf } from '@/api/drafts'
import { USER_TYPES } from '@/lib/roles'
import { TextField } from '@/ui/Field'
import { LevelSelect, UserSelect } from './Choices'
import { PanelForm } from './PanelForm'
import { complaintAboutPassword } from './rules'
import { useUsersText } from './text'
import { useChange } from './useChange'

const NO_PASSWORD = { user: '', password: '', confirmation: '' }
const NO_LEVEL = { user: '', level: '' }
const NO_HMC = { user: '', hmc: '' }
const usePassword = draftOf(NO_PASSWORD)
const useLevel = draftOf(NO_LEVEL)
const useHmc = draftOf(NO_HMC)

export function ChangePassword() {
  const t = useUsersText()
  const [entry, setEntry] = usePassword()
  const { user, password, confirmation } = entry
  const { submit, ...state } = useChange(() => setEntry(NO_PASSWORD))
  const send = () => submit({ user, complaint: complaintAboutPassword(user, password, confirmation), change: { password }, done: 'users.passwordChanged' })
  return (
    <PanelForm label={t('users.password')} {...state} onSubmit={send}>
      <UserSelect value={user} onChange={(chosen) => setEntry({ ...entry, user: chosen })} />
      <TextField label={t('users.newPassword')} hint={t('users.passwordHint')} type="password" autoComplete="new-password" value={password} onChange={(event) => setEntry({ ...entry, password: event.target.value })} />
      <TextField label={t('users.confirmation')} type="password" autoComplete="new-password" value={confirmation} onChange={(event) => setEntry({ ...entry, confirmation: event.target.value })} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </PanelForm>
  )
}

export function ChangePermission() {
  const t = useUsersText()
  const [entry, setEntry] = useLevel()
  const { user, level } = entry
  const { submit, ...state } = useChange(() => setEntry(NO_LEVEL))
  const user_type = USER_TYPES.find((type) => type === level)
  const send = () => submit({ user, complaint: user === '' || user_type === undefined ? 'users.levelMissing' : null, change: { user_type }, done: 'users.levelChanged' })
  return (
    <PanelForm label={t('users.permission')} {...state} onSubmit={send}>
      <UserSelect value={user} onChange={(chosen) => setEntry({ ...entry, user: chosen })} />
      <LevelSelect label={t('users.newLevel')} value={level} onChange={(chosen) => setEntry({ ...entry, level: chosen })} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </PanelForm>
  )
}

export function ChangeHmc() {
  const t = useUsersText()
  const [entry, setEntry] = useHmc()
  const { user, hmc } = entry
  const { submit, ...state } = useChange(() => setEntry(NO_HMC))
  const send = () => submit({ user, complaint: user === '' || hmc.trim() === '' ? 'users.hmcMissing' : null, change: { hmc: hmc.trim() }, done: 'users.renamed' })
  return (
    <PanelForm label={t('users.rename')} {...state} onSubmit={send}>
      <UserSelect value={user} onChange={(chosen) => setEntry({ ...entry, user: chosen })} />
      <TextField label={t('users.newHmc')} value={hmc} onChange={(event) => setEntry({ ...entry, hmc: event.target.value })} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </PanelForm>
  )
}
