import { useOpenSessions } from '@/api/openSessions'
import type { User } from '@/api/types'
import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { useIsPrinting } from '@/lib/printing'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { setQueryParams } from '@/lib/route'
import { getAccessLevelTextKey } from '@/lib/roles'
import { useLanguage } from '@/lib/text'
import { formatCount, formatDate, formatHourMinute, formatTime } from '@/lib/format'
import { ActionMenu, type ActionMenuItem } from '@/ui/ActionMenu'
import table from '@/ui/Table.module.css'
import { getNextUserSortParam, type UserListSettings, type UserSortColumn } from './userList'
import { useUsersText, type UsersTextKey } from './text'
import styles from './UserTable.module.css'

interface UserTableProps {
  users: User[]
  listing: UserListSettings
  /** Id of the signed-in user. */
  me: number | undefined
  /** Id of the user whose drawer is open; `null` while the drawer is closed. */
  chosen: number | null
  onChoose: (user: User) => void
  actionsOf: (user: User) => ActionMenuItem[]
}

/** Users of one page, as a table on wide screens and as cards on phones. */
export function UserTable(props: UserTableProps) {
  return useMediaQuery('(min-width: 900px)') ? <Wide {...props} /> : <Cards {...props} />
}

const HEADS: { column: UserSortColumn; label: UsersTextKey }[] = [
  { column: 'hmc', label: 'users.hmc' },
  { column: 'level', label: 'users.level' },
  { column: 'created', label: 'users.since' },
  { column: 'login', label: 'users.lastLogin' },
]

/**
 * Table of users. The columns about sessions are not printed: sessions are loaded row by row, so these columns would be empty for users of
 * other pages.
 */
function Wide({ users, listing, me, chosen, onChoose, actionsOf }: UserTableProps) {
  const t = useUsersText()
  const isPrinting = useIsPrinting()
  return (
    <div className={`${table.frame} ${styles.frame}`}>
      <table className={table.table}>
        <caption className="sr-only">{t('users.active')}</caption>
        <thead>
          <tr>
            {HEADS.map((head) => (
              <SortHead key={head.column} listing={listing} {...head} />
            ))}
            {!isPrinting && (
              <>
                <th scope="col">{t('users.lastSeen')}</th>
                <th scope="col" className={`${styles.number} ${styles.sessionsColumn}`}>{t('users.sessionsHead')}</th>
                <th scope="col">
                  <span className="sr-only">{t('users.actions')}</span>
                </th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id} aria-current={user.id === chosen || undefined}>
              <td className={styles.hmcCell}>
                <Hmc user={user} me={me} onChoose={onChoose} />
              </td>
              <td>
                <AccessLevelLabel user={user} />
              </td>
              <td className={styles.createdColumn}>{formatDate(user.created_at)}</td>
              <td className={styles.loginColumn}>
                <LastSignInTime user={user} />
              </td>
              {!isPrinting && (
                <>
                  <SessionCells user={user} me={me} />
                  <td className={table.above}>
                    <ActionMenu label={t('users.actionsOf', { hmc: user.hmc })} actions={actionsOf(user)} />
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Column heading with a sort button. Clicks change the order from ascending to descending, and then to the default order. */
function SortHead({ listing, column, label }: { listing: UserListSettings; column: UserSortColumn; label: UsersTextKey }) {
  const t = useUsersText()
  const isSorted = listing.sort === column
  return (
    <th scope="col" className={styles[`${column}Column`]} aria-sort={!isSorted ? 'none' : listing.descending ? 'descending' : 'ascending'}>
      <button type="button" className={styles.sort} onClick={() => setQueryParams({ sort: getNextUserSortParam(listing, column), page: null })}>
        {t(label)} <span aria-hidden="true">{!isSorted ? '↕' : listing.descending ? '↓' : '↑'}</span>
      </button>
    </th>
  )
}

/** Table cells with the time of the last use of a user's open sessions, and with the number of these sessions. */
function SessionCells({ user, me }: { user: User; me: number | undefined }) {
  const sessions = useOpenSessions(user.id === me ? null : user.id).data
  return (
    <>
      <td>
        <LastActivityTime used={sessions?.map(({ last_used_at }) => last_used_at)} />
      </td>
      <td className={`${styles.number} ${styles.sessionsColumn}`}>{sessions === undefined ? '' : formatCount(sessions.length)}</td>
    </>
  )
}

/** Time since the last use of any open session, in words. Shows a dash if there are no open sessions, and nothing while the sessions are loading. */
export function LastActivityTime({ used }: { used: string[] | undefined }) {
  const language = useLanguage()
  const now = useCurrentTime()
  const last = used?.toSorted().at(-1)
  if (last === undefined) return used === undefined ? '' : '—'
  return (
    <time dateTime={last} title={`${formatDate(last)} ${formatTime(last)}`}>
      {formatTimeAgo(Date.parse(last), now, language)}
    </time>
  )
}

function Cards({ users, me, onChoose, actionsOf }: UserTableProps) {
  const t = useUsersText()
  return (
    <ul className={styles.cards}>
      {users.map((user) => (
        <li key={user.id} className={styles.card}>
          <div className={styles.who}>
            <Hmc user={user} me={me} onChoose={onChoose} />
            <span className="quiet">
              <AccessLevelLabel user={user} /> · {t('users.lastLogin')}: <LastSignInTime user={user} />
            </span>
          </div>
          <ActionMenu label={t('users.actionsOf', { hmc: user.hmc })} actions={actionsOf(user)} />
        </li>
      ))}
    </ul>
  )
}

/** Login name (HMC) of a user as a button over the full row, which opens the user's drawer. */
function Hmc({ user, me, onChoose }: { user: User; me: number | undefined; onChoose: (user: User) => void }) {
  const t = useUsersText()
  return (
    <button type="button" data-print className={styles.hmc} title={user.hmc} onClick={() => onChoose(user)}>
      <span className={styles.hmcText}>{user.hmc}</span> {user.id === me && <span className="quiet">({t('users.you')})</span>}
    </button>
  )
}

export function AccessLevelLabel({ user: { user_type } }: { user: User }) {
  const t = useUsersText()
  const role = getAccessLevelTextKey(user_type)
  return role === null ? user_type : t(role)
}

export function LastSignInTime({ user: { last_login_at: at } }: { user: User }) {
  const t = useUsersText()
  if (!at) return t('users.never')
  return (
    <time dateTime={at}>
      {formatDate(at)} <span className={styles.timeOfDay}>{formatHourMinute(at)}</span>
    </time>
  )
}
