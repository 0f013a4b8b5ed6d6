import { useState } from 'react'
import { USER_TYPES } from '@/lib/roles'
import { TextField } from '@/ui/Field'
import { LevelSelect, UserSelect } from './Choices'
import { PanelForm } from './PanelForm'
import { complaintAboutPassword } from './rules'
import { useUsersText } from './text'
import { useChange } from './useChange'

export function ChangePassword() {
  const t = useUsersText()
  const [password, setPassword] = useState('')
  const [confirmation, setConfirmation] = useState('')
  const { chosen, setChosen, submit, ...state } = useChange(() => {
    setPassword('')
    setConfirmation('')
  })
  const send = () => submit({ complaint: complaintAboutPassword(chosen, password, confirmation), change: { password }, done: 'users.passwordChanged' })
  return (
    <PanelForm label={t('users.password')} {...state} onSubmit={send}>
      <UserSelect value={chosen} onChange={setChosen} />
      <TextField label={t('users.newPassword')} hint={t('users.passwordHint')} type="password" autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} />
      <TextField label={t('users.confirmation')} type="password" autoComplete="new-password" value={confirmation} onChange={(event) => setConfirmation(event.target.value)} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </PanelForm>
  )
}

export function ChangePermission() {
  const t = useUsersText()
  const [level, setLevel] = useState('')
  const { chosen, setChosen, submit, ...state } = useChange(() => setLevel(''))
  const user_type = USER_TYPES.find((type) => type === level)
  const send = () => submit({ complaint: chosen === '' || user_type === undefined ? 'users.levelMissing' : null, change: { user_type }, done: 'users.levelChanged' })
  return (
    <PanelForm label={t('users.permission')} {...state} onSubmit={send}>
      <UserSelect value={chosen} onChange={setChosen} />
      <LevelSelect label={t('users.newLevel')} value={level} onChange={setLevel} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </PanelForm>
  )
}

export function ChangeHmc() {
  const t = useUsersText()
  const [hmc, setHmc] = useState('')
  const { chosen, setChosen, submit, ...state } = useChange(() => setHmc(''))
  const send = () => submit({ complaint: chosen === '' || hmc.trim() === '' ? 'users.hmcMissing' : null, change: { hmc: hmc.trim() }, done: 'users.renamed' })
  return (
    <PanelForm label={t('users.rename')} {...state} onSubmit={send}>
      <UserSelect value={chosen} onChange={setChosen} />
      <TextField label={t('users.newHmc')} value={hmc} onChange={(event) => setHmc(event.target.value)} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <p className="quiet">{t('users.endsSessions')}</p>
    </PanelForm>
  )
}
