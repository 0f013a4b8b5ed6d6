import type { ComponentType } from 'react'
import { setQueryParams, useQueryParams } from '@/lib/route'
import { Icon, type IconName } from '@/ui/Icon'
import { Page } from '@/ui/Page'
import { UserListPanel } from './UserListPanel'
import { ChangeHmcPanel, ChangePasswordPanel, ChangeAccessLevelPanel } from './ChangeUserPanels'
import { CreateUserPanel } from './CreateUserPanel'
import { useUsersText, type UsersTextKey } from './text'
import styles from './UserManagementPage.module.css'

const PANELS: { name: string; label: UsersTextKey; icon: IconName; Panel: ComponentType }[] = [
  { name: 'create', label: 'users.create', icon: 'plus', Panel: CreateUserPanel },
  { name: 'active', label: 'users.active', icon: 'people', Panel: UserListPanel },
  { name: 'password', label: 'users.password', icon: 'keyboard', Panel: ChangePasswordPanel },
  { name: 'permission', label: 'users.permission', icon: 'shield', Panel: ChangeAccessLevelPanel },
  { name: 'hmc', label: 'users.rename', icon: 'pencil', Panel: ChangeHmcPanel },
]

const LIST = 'active'
const NONE = 'none'

/**
 * Returns the new `panel` parameter of the URL after a tap on the heading of a panel; null shows the user list. A tap on an open panel
 * closes it and shows the user list. A tap on the open user list closes all panels.
 */
const panelAfter = (pressed: string, open: string): string | null => {
  if (pressed !== open) return pressed === LIST ? null : pressed
  return pressed === LIST ? NONE : null
}

/** User management page for supervisors: five panels, one open at a time. The list of users is open at first. */
export default function UserManagementPage() {
  const t = useUsersText()
  const open = useQueryParams().get('panel') ?? LIST
  const panel = PANELS.find(({ name }) => name === open)
  return (
    <Page title={t('users.title')}>
      <div className={styles.toggles} role="group" aria-label={t('users.panels')}>
        {PANELS.map(({ name, label, icon }) => (
          <button key={name} type="button" className={styles.toggle} aria-expanded={open === name} aria-controls={open === name ? `panel-${name}` : undefined}
            onClick={() => setQueryParams({ panel: panelAfter(name, open), user: null, fold: null })}>
            <Icon name={icon} size={22} />
            {t(label)}
          </button>
        ))}
      </div>
      {panel ? (
        <section key={panel.name} id={`panel-${panel.name}`} className={panel.name === LIST ? undefined : styles.panel} aria-label={t(panel.label)}>
          <panel.Panel />
        </section>
      ) : (
        <p className={styles.pick}>{t('users.pick')}</p>
      )}
    </Page>
  )
}
