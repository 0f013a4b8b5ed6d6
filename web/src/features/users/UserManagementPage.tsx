import type { ComponentType } from 'react'
import { setQuery, useQueryParams } from '@/lib/route'
import { Icon, type IconName } from '@/ui/Icon'
import { Page } from '@/ui/Page'
import { ActiveUsers } from './ActiveUsers'
import { ChangeHmc, ChangePassword, ChangePermission } from './Changes'
import { CreateUser } from './CreateUser'
import { useUsersText, type UsersKey } from './text'
import styles from './UserManagementPage.module.css'

const PANELS: { name: string; label: UsersKey; icon: IconName; Panel: ComponentType }[] = [
  { name: 'create', label: 'users.create', icon: 'plus', Panel: CreateUser },
  { name: 'active', label: 'users.active', icon: 'people', Panel: ActiveUsers },
  { name: 'password', label: 'users.password', icon: 'keyboard', Panel: ChangePassword },
  { name: 'permission', label: 'users.permission', icon: 'shield', Panel: ChangePermission },
  { name: 'hmc', label: 'users.rename', icon: 'pencil', Panel: ChangeHmc },
]

/** What a supervisor does with the users: five buttons, one panel open at a time. */
export default function UserManagementPage() {
  const t = useUsersText()
  const open = useQueryParams().get('panel')
  return (
    <Page title={t('users.title')}>
      <div className={styles.panels} role="group" aria-label={t('users.panels')}>
        {PANELS.map(({ name, label, icon, Panel }) => (
          <div key={name} className={styles.pair}>
            <button type="button" className={styles.toggle} aria-expanded={open === name} aria-controls={open === name ? `panel-${name}` : undefined}
              onClick={() => setQuery({ panel: open === name ? null : name })}>
              <Icon name={icon} size={22} />
              {t(label)}
            </button>
            {open === name && (
              <section id={`panel-${name}`} className={styles.panel} aria-label={t(label)}>
                <Panel />
              </section>
            )}
          </div>
        ))}
        {!PANELS.some(({ name }) => name === open) && <p className={styles.pick}>{t('users.pick')}</p>}
      </div>
    </Page>
  )
}
