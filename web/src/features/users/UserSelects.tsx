import { getAccessLevelTextKey, ACCESS_LEVELS } from '@/lib/roles'
import { Select } from '@/ui/Field'
import { useUsers } from './api'
import { useUsersText } from './text'

interface ChoiceProps {
  value: string
  onChange: (value: string) => void
  isInvalid: boolean
}

/** Select for the access level of a user. */
export function AccessLevelSelect({ label, value, onChange, isInvalid }: ChoiceProps & { label: string }) {
  const t = useUsersText()
  return (
    <Select label={label} aria-invalid={isInvalid || undefined} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t('users.chooseLevel')}</option>
      {ACCESS_LEVELS.map((type) => (
        <option key={type} value={type}>
          {t(getAccessLevelTextKey(type) ?? 'role.op')}
        </option>
      ))}
    </Select>
  )
}

/** Select for one of the users that can be changed. Each option shows the user's login name (HMC) and access level. */
export function UserSelect({ value, onChange, isInvalid }: ChoiceProps) {
  const t = useUsersText()
  const users = useUsers()
  return (
    <Select label={t('users.user')} value={value} aria-invalid={isInvalid || users.isError || undefined} onChange={(event) => onChange(event.target.value)} error={users.isError ? t('users.notFetched') : null}>
      <option value="">{users.isPending ? t('common.loading') : t('users.chooseUser')}</option>
      {users.data?.map(({ id, hmc, user_type }) => {
        const role = getAccessLevelTextKey(user_type)
        return (
          <option key={id} value={id}>
            {hmc} · {role === null ? user_type : t(role)}
          </option>
        )
      })}
    </Select>
  )
}
