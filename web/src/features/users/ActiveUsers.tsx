import { useState } from 'react'
import { useSession } from '@/api/session'
import type { User } from '@/api/types'
import { pageCount, PER_PAGE } from '@/lib/pages'
import { useUsersText } from './text'
import { Confirm } from '@/ui/Dialog'
import { Empty, Failure, Note, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { SearchBox } from '@/ui/SearchBox'
import { toast } from '@/ui/Toast'
import { refusalOf, useDeleteUser, useLiftLockout, useUserData, useUsers } from './api'
import { UserTable } from './UserTable'
import styles from './UserManagementPage.module.css'

export function ActiveUsers() {
  const t = useUsersText()
  const users = useUsers()
  if (users.isPending) return <Skeleton rows={4} height={64} label={t('common.loading')} />
  if (users.isError) return <Failure text={t('users.notLoaded')} onRetry={() => void users.refetch()} />
  return <Loaded users={users.data} />
}

function Loaded({ users }: { users: User[] }) {
  const t = useUsersText()
  const me = useSession()?.user.id
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(1)
  const [leaving, setLeaving] = useState<User | null>(null)
  const data = useUserData()
  const lift = useLiftLockout()
  const unlock = (user: User) => lift.mutate(user, { onSuccess: () => void toast('success', t('users.unlocked', { hmc: user.hmc })) })
  const found = users.filter(({ hmc }) => hmc.toLowerCase().includes(search.trim().toLowerCase()))
  const pages = pageCount(found.length)
  const shown = Math.min(page, pages)
  return (
    <div className={styles.form}>
      <SearchBox label={t('users.search')} value={search} onChange={setSearch} />
      {data.isError && <Note kind="error">{t('users.failed')}</Note>}
      {lift.error && <Refusal error={lift.error} words={(why) => t('users.notUnlocked', { hmc: lift.variables.hmc, why })} />}
      {found.length === 0 && <Empty icon="people" text={search === '' ? t('users.none') : t('users.noMatch', { search })} />}
      {found.length > 0 && <UserTable users={found.slice((shown - 1) * PER_PAGE, shown * PER_PAGE)} me={me} onDelete={setLeaving} onData={(user) => data.mutate(user)} onUnlock={unlock} />}
      <Pager page={shown} pages={pages} onPage={setPage} />
      {leaving && <DeleteUser user={leaving} onDone={() => setLeaving(null)} />}
    </div>
  )
}

function DeleteUser({ user, onDone }: { user: User; onDone: () => void }) {
  const t = useUsersText()
  const remove = useDeleteUser()
  const yes = () => remove.mutate(user, {
    onSuccess: () => {
      toast('success', t('users.deleted'))
      onDone()
    },
  })
  return (
    <Confirm question={t('users.deleteQuestion', { hmc: user.hmc })} busy={remove.isPending} onYes={yes} onNo={onDone}>
      <p>{t('users.deleteText')}</p>
      {remove.error && <Refusal error={remove.error} words={(why) => t('users.notDeleted', { why })} />}
    </Confirm>
  )
}

function Refusal({ error, words }: { error: Error; words: (why: string) => string }) {
  const t = useUsersText()
  const { key, message } = refusalOf(error)
  return <Note kind="error">{words(t(key, { message }))}</Note>
}
