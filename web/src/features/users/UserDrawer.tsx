import { useEffect, useEffectEvent, type ComponentType } from 'react'
import { useOpenSessions } from '@/api/openSessions'
import type { User } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { setQueryParams } from '@/lib/route'
import { formatCount, formatDate } from '@/lib/format'
import type { ActionMenuItem } from '@/ui/ActionMenu'
import { Button, IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Icon, type IconName } from '@/ui/Icon'
import { ChangeHmcPanel, ChangePasswordPanel, ChangeAccessLevelPanel } from './ChangeUserPanels'
import { useUsersText, type UsersTextKey } from './text'
import { LastSignInTime, LastActivityTime, AccessLevelLabel } from './UserTable'
import styles from './UserDrawer.module.css'

/** Kinds of changes to a user. Each is a section of the drawer (side panel with the user's data) and an action in the user's row. */
export const USER_CHANGE_PANELS: { name: string; label: UsersTextKey; of: UsersTextKey; icon: IconName; Panel: ComponentType<{ chosen?: User }> }[] = [
  { name: 'password', label: 'users.password', of: 'users.passwordOf', icon: 'keyboard', Panel: ChangePasswordPanel },
  { name: 'permission', label: 'users.permission', of: 'users.permissionOf', icon: 'shield', Panel: ChangeAccessLevelPanel },
  { name: 'hmc', label: 'users.rename', of: 'users.renameOf', icon: 'pencil', Panel: ChangeHmcPanel },
]

interface UserDrawerProps {
  user: User
  isMe: boolean
  /** Name of the open section; `null` while all sections are closed. */
  fold: string | null
  actions: ActionMenuItem[]
  onClose: () => void
}

/** Panel with all data of one user: beside the list on wide screens, over the list on small screens. Escape closes the panel on wide screens. */
export function UserDrawer(props: UserDrawerProps) {
  const t = useUsersText()
  const isBeside = useMediaQuery('(min-width: 1100px)')
  const label = t('users.drawer', { hmc: props.user.hmc })
  const escape = useEffectEvent(({ key, defaultPrevented, target }: KeyboardEvent) => {
    const isTyped = target instanceof Element && target.closest('input, select, dialog') !== null
    if (key === 'Escape' && isBeside && !defaultPrevented && !isTyped) props.onClose()
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => escape(event)
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  if (!isBeside) {
    return (
      <Dialog label={label} onClose={props.onClose}>
        <div className={styles.drawer}>
          <Content {...props} />
        </div>
      </Dialog>
    )
  }
  return (
    <aside className={styles.drawer} aria-label={label}>
      <Content {...props} />
    </aside>
  )
}

function Content({ user, isMe, fold, actions, onClose }: UserDrawerProps) {
  const t = useUsersText()
  const sessions = useOpenSessions(isMe ? null : user.id).data
  return (
    <>
      <div className={styles.head}>
        <div>
          <h2>{user.hmc}</h2>
          <p className="quiet">
            <AccessLevelLabel user={user} />
          </p>
        </div>
        <IconButton icon="close" label={t('users.closeDrawer')} onClick={onClose} />
      </div>
      <dl className={styles.facts}>
        <dt>{t('users.since')}</dt>
        <dd>{formatDate(user.created_at)}</dd>
        <dt>{t('users.lastLogin')}</dt>
        <dd>
          <LastSignInTime user={user} />
        </dd>
        <dt>{t('users.lastSeen')}</dt>
        <dd>
          <LastActivityTime used={sessions?.map(({ last_used_at }) => last_used_at)} />
        </dd>
        <dt>{t('users.sessionsHead')}</dt>
        <dd>{sessions === undefined ? '' : formatCount(sessions.length)}</dd>
      </dl>
      {USER_CHANGE_PANELS.map(({ name, label, icon, Panel }) => (
        <details key={`${user.id} ${name}`} className={styles.fold} open={fold === name}>
          {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the browser clicks a summary on Enter and Space */}
          <summary onClick={(event) => {
            event.preventDefault()
            setQueryParams({ fold: fold === name ? null : name })
          }}>
            <Icon name={icon} size={20} />
            {t(label)}
            <Icon name="down" size={18} />
          </summary>
          {fold === name && <Panel chosen={user} />}
        </details>
      ))}
      <div className={styles.rare}>
        {actions.map((action) => 'onSelect' in action && (
          <Button key={action.label} kind="quiet" data-danger={action.danger || undefined} icon={action.icon} aria-label={action.label} onClick={action.onSelect}>
            {action.text}
          </Button>
        ))}
      </div>
    </>
  )
}
