import type { User } from '@/api/types'
import { getAccessLevelTextKey, ACCESS_LEVELS } from '@/lib/roles'
import { setQueryParams } from '@/lib/route'
import { Chip, ChipRow } from '@/ui/Chips'
import { matchesSignInFilter, SIGN_IN_FILTERS, DAYS_UNTIL_INACTIVE, type UserListSettings } from './userList'
import { useUsersText } from './text'

/**
 * Filter chips of the user list, with counts: access levels, users who never signed in, and users without a recent sign-in. Recent means
 * within the last `DAYS_UNTIL_INACTIVE` days.
 */
export function UserFilters({ users, listing: { level, signIn }, now }: { users: User[]; listing: UserListSettings; now: number }) {
  const t = useUsersText()
  const isAll = level === null && signIn === null
  return (
    <ChipRow label={t('users.filters')}>
      <Chip text={t('users.all')} count={users.length} pressed={isAll} onPress={() => setQueryParams({ level: null, signin: null, page: null })} />
      {ACCESS_LEVELS.map((type) => (
        <Chip key={type} text={t(getAccessLevelTextKey(type) ?? 'role.op')} count={users.filter(({ user_type }) => user_type === type).length} pressed={level === type}
          onPress={() => setQueryParams({ level: level === type ? null : type, page: null })} />
      ))}
      {SIGN_IN_FILTERS.map((filter) => (
        <Chip key={filter} text={t(`users.${filter}Filter`, { n: DAYS_UNTIL_INACTIVE })} count={users.filter((user) => matchesSignInFilter(user, filter, now)).length} pressed={signIn === filter}
          onPress={() => setQueryParams({ signin: signIn === filter ? null : filter, page: null })} />
      ))}
    </ChipRow>
  )
}
