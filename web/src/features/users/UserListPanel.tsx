import { useState } from 'react'
import { useSession } from '@/api/session'
import type { User } from '@/api/types'
import { useCurrentTime } from '@/lib/timeAgo'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { useScreenOrPrintedRows } from '@/lib/printing'
import { parseId, parsePageNumber, setQueryParams, useQueryParams } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { useUsersText } from './text'
import type { ActionMenuItem } from '@/ui/ActionMenu'
import { Button } from '@/ui/Button'
import { ConfirmDialog } from '@/ui/Dialog'
import { Alert, EmptyState, ErrorNotice, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { PrintedRangeLine } from '@/ui/PrintedRangeLine'
import { SearchBox } from '@/ui/SearchBox'
import { showToast } from '@/ui/Toast'
import { describeUserChangeError, useDeleteUser, useUnlockUser, useDownloadUserData, useUsers } from './api'
import { filterAndSortUsers, parseUserListSettings } from './userList'
import { USER_CHANGE_PANELS, UserDrawer } from './UserDrawer'
import { UserFilters } from './UserFilters'
import { UserHistoryDialog } from './UserHistoryDialog'
import { UserSessionsDialog } from './UserSessionsDialog'
import { UserTable } from './UserTable'
import styles from './UserListPanel.module.css'

/** List of users with search, filters and order in the URL, and a drawer for the chosen user. */
export function UserListPanel() {
  const t = useUsersText()
  const users = useUsers()
  if (users.isPending) return <Skeleton rows={4} height={64} label={t('common.loading')} onRetry={() => void users.refetch()} />
  if (users.isError) return <ErrorNotice text={t('users.notLoaded')} onRetry={() => void users.refetch()} />
  return <Loaded users={users.data} />
}

const CLOSED = { user: null, fold: null }
const showAll = () => setQueryParams({ search: null, level: null, signin: null, page: null })

function Loaded({ users }: { users: User[] }) {
  const t = useUsersText()
  const me = useSession()?.user.id
  const now = useCurrentTime()
  const query = useQueryParams()
  const listing = parseUserListSettings(query)
  const [leaving, setLeaving] = useState<User | null>(null)
  const [reviewed, setReviewed] = useState<User | null>(null)
  const [signedIn, setSignedIn] = useState<User | null>(null)
  const data = useDownloadUserData()
  const lift = useUnlockUser()
  const unlock = (user: User) => lift.mutate(user, { onSuccess: () => void showToast('success', t('users.unlocked', { hmc: user.hmc })) })

  const found = filterAndSortUsers(users, listing, now)
  const pages = countPages(found.length)
  const page = Math.min(parsePageNumber(query), pages)
  const { from, shown } = useScreenOrPrintedRows(found, page, PAGE_SIZE)
  const chosen = users.find(({ id }) => id === parseId(query.get('user')))
  const isFiltered = found.length < users.length

  const rareActionsOf = (user: User): ActionMenuItem[] => {
    const { id, hmc } = user
    const download: ActionMenuItem = { icon: 'download', text: t('users.dataShort'), label: t('users.data', { hmc }), onSelect: () => data.mutate(user) }
    const history: ActionMenuItem = { icon: 'list', text: t('users.historyShort'), label: t('users.history', { hmc }), onSelect: () => setReviewed(user) }
    if (id === me) return [history, download]
    return [
      history,
      { icon: 'phone', text: t('users.sessionsHead'), label: t('users.sessions', { hmc }), onSelect: () => setSignedIn(user) },
      { icon: 'unlock', text: t('users.unlockShort'), label: t('users.unlock', { hmc }), onSelect: () => unlock(user) },
      download,
      { icon: 'trash', text: t('users.deleteShort'), label: t('users.delete', { hmc }), danger: true, onSelect: () => setLeaving(user) },
    ]
  }
  const actionsOf = (user: User): ActionMenuItem[] => [
    ...USER_CHANGE_PANELS.map(({ name, label, of, icon }) => ({ icon, text: t(label), label: t(of, { hmc: user.hmc }), onSelect: () => setQueryParams({ user: user.id, fold: name }) })),
    ...rareActionsOf(user),
  ]
  return (
    <div className={styles.list}>
      <div className={styles.main}>
        <div className={styles.tools}>
          <SearchBox label={t('users.search')} value={listing.search} onChange={(search) => setQueryParams({ search, page: null })} />
          <UserFilters users={users} listing={listing} now={now} />
        </div>
        {data.isError && <Alert kind="error">{t('users.failed')}</Alert>}
        {lift.error && <Refusal error={lift.error} words={(why) => t('users.notUnlocked', { hmc: lift.variables.hmc, why })} />}
        {found.length === 0 && (
          <EmptyState icon="people" text={users.length === 0 ? t('users.none') : listing.search === '' ? t('users.noneFiltered') : t('users.noMatch', { search: listing.search })}>
            {isFiltered && <Button onClick={showAll}>{t('users.showAll')}</Button>}
          </EmptyState>
        )}
        <PrintedRangeLine from={from} count={shown.length} total={found.length} />
        {shown.length > 0 && <UserTable users={shown} listing={listing} me={me} chosen={chosen?.id ?? null} onChoose={({ id }) => setQueryParams({ user: id, fold: null })} actionsOf={actionsOf} />}
        <div className={styles.foot}>
          <span className="quiet" role="status">
            {found.length > 0 && t('users.range', { from: formatCount(from + 1), to: formatCount(from + shown.length), n: formatCount(found.length) })}{' '}
            {isFiltered && found.length > 0 && (
              <Button kind="quiet" onClick={showAll}>
                {t('users.showAll')}
              </Button>
            )}
          </span>
          <Pager page={page} pages={pages} onPage={(next) => setQueryParams({ page: next })} />
        </div>
      </div>
      {chosen && <UserDrawer key={chosen.id} user={chosen} isMe={chosen.id === me} fold={query.get('fold')} actions={rareActionsOf(chosen)} onClose={() => setQueryParams(CLOSED)} />}
      {reviewed && <UserHistoryDialog user={reviewed} onClose={() => setReviewed(null)} />}
      {signedIn && <UserSessionsDialog user={signedIn} onClose={() => setSignedIn(null)} />}
      {leaving && <DeleteUser user={leaving} onDone={() => setLeaving(null)} />}
    </div>
  )
}

function DeleteUser({ user, onDone }: { user: User; onDone: () => void }) {
  const t = useUsersText()
  const remove = useDeleteUser()
  const yes = () => remove.mutate(user, {
    onSuccess: () => {
      showToast('success', t('users.deleted'))
      setQueryParams(CLOSED)
      onDone()
    },
  })
  return (
    <ConfirmDialog question={t('users.deleteQuestion', { hmc: user.hmc })} busy={remove.isPending} onYes={yes} onNo={onDone}>
      <p>{t('users.deleteText')}</p>
      {remove.error && <Refusal error={remove.error} words={(why) => t('users.notDeleted', { why })} />}
    </ConfirmDialog>
  )
}

function Refusal({ error, words }: { error: Error; words: (why: string) => string }) {
  const t = useUsersText()
  const { key, message } = describeUserChangeError(error)
  return <Alert kind="error">{words(t(key, { message }))}</Alert>
}
