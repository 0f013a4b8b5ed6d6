import type { User } from '@/api/types'
import { useMediaQuery } from '@/lib/media'
import { roleKey } from '@/lib/roles'
import { dateOf, timeOf } from '@/lib/time'
import { IconButton } from '@/ui/Button'
import table from '@/ui/Table.module.css'
import { useUsersText } from './text'
import styles from './UserManagementPage.module.css'

interface UserTableProps {
  users: User[]
  /** The id of who is looking. */
  me: number | undefined
  onDelete: (user: User) => void
  onData: (user: User) => void
  onUnlock: (user: User) => void
}

/** The users of one page: a table where there is room, cards on the phone. */
export function UserTable(props: UserTableProps) {
  return useMediaQuery('(min-width: 1000px)') ? <Wide {...props} /> : <Cards {...props} />
}

function Wide({ users, ...rest }: UserTableProps) {
  const t = useUsersText()
  return (
    <div className={table.frame}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">{t('users.hmc')}</th>
            <th scope="col">{t('users.level')}</th>
            <th scope="col">{t('users.since')}</th>
            <th scope="col">{t('users.lastLogin')}</th>
            <th scope="col">{t('users.actions')}</th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <td>
                <Hmc user={user} me={rest.me} />
              </td>
              <td>
                <Level user={user} />
              </td>
              <td>{dateOf(user.created_at)}</td>
              <td>
                <LastLogin user={user} />
              </td>
              <td>
                <Actions user={user} {...rest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards({ users, ...rest }: UserTableProps) {
  const t = useUsersText()
  return (
    <ul className={styles.cards}>
      {users.map((user) => (
        <li key={user.id} className={styles.card}>
          <div className={styles.who}>
            <Hmc user={user} me={rest.me} />
            <span className="quiet">
              <Level user={user} /> · {t('users.lastLogin')}: <LastLogin user={user} />
            </span>
          </div>
          <Actions user={user} {...rest} />
        </li>
      ))}
    </ul>
  )
}

function Hmc({ user, me }: { user: User; me: number | undefined }) {
  const t = useUsersText()
  return (
    <strong className={styles.hmc}>
      {user.hmc} {user.id === me && <span className="quiet">({t('users.you')})</span>}
    </strong>
  )
}

function Level({ user: { user_type } }: { user: User }) {
  const t = useUsersText()
  const role = roleKey(user_type)
  return role === null ? user_type : t(role)
}

function LastLogin({ user: { last_login_at: at } }: { user: User }) {
  const t = useUsersText()
  return at ? <time dateTime={at} title={timeOf(at)}>{dateOf(at)}</time> : t('users.never')
}

function Actions({ user, me, onDelete, onData, onUnlock }: Omit<UserTableProps, 'users'> & { user: User }) {
  const t = useUsersText()
  return (
    <span className={styles.actions}>
      <IconButton icon="download" label={t('users.data', { hmc: user.hmc })} onClick={() => onData(user)} />
      {user.id !== me && <IconButton icon="unlock" label={t('users.unlock', { hmc: user.hmc })} onClick={() => onUnlock(user)} />}
      {user.id !== me && <IconButton icon="trash" danger label={t('users.delete', { hmc: user.hmc })} onClick={() => onDelete(user)} />}
    </span>
  )
}
