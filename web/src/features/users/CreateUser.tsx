import { useState } from 'react'
import { draftOf } from '@/api/drafts'
import { USER_TYPES } from '@/lib/roles'
import { TextField } from '@/ui/Field'
import { toast } from '@/ui/Toast'
import { useCreateUser } from './api'
import { LevelSelect } from './Choices'
import { PanelForm } from './PanelForm'
import { complaintAboutNew, type NewEntry } from './rules'
import { useUsersText, type UsersKey } from './text'

const NOTHING: NewEntry = { hmc: '', password: '', confirmation: '', user_type: '' }
const useEntry = draftOf(NOTHING)

export function CreateUser() {
  const t = useUsersText()
  const [entry, setEntry] = useEntry()
  const [complaint, setComplaint] = useState<UsersKey | null>(null)
  const create = useCreateUser()
  const change = (part: Partial<NewEntry>) => setEntry({ ...entry, ...part })
  const submit = () => {
    const wrong = complaintAboutNew(entry)
    const user_type = USER_TYPES.find((type) => type === entry.user_type)
    setComplaint(wrong)
    if (wrong !== null || user_type === undefined) return
    create.mutate({ hmc: entry.hmc.trim(), password: entry.password, user_type }, {
      onSuccess: () => {
        setEntry(NOTHING)
        toast('success', t('users.created'))
      },
    })
  }
  return (
    <PanelForm label={t('users.create')} complaint={complaint} error={create.error} busy={create.isPending} onSubmit={submit}>
      <TextField label={t('users.hmc')} value={entry.hmc} onChange={(event) => change({ hmc: event.target.value })} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <TextField label={t('users.newPassword')} hint={t('users.passwordHint')} type="password" autoComplete="new-password" value={entry.password} onChange={(event) => change({ password: event.target.value })} />
      <TextField label={t('users.confirmation')} type="password" autoComplete="new-password" value={entry.confirmation} onChange={(event) => change({ confirmation: event.target.value })} />
      <LevelSelect label={t('users.level')} value={entry.user_type} onChange={(user_type) => change({ user_type })} />
    </PanelForm>
  )
}
