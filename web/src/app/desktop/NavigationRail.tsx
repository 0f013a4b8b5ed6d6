import { useQuery } from '@tanstack/react-query'
import { useOpenConflicts } from '@/api/conflicts'
import { currentUserQuery } from '@/api/currentUserQuery'
import type { SessionUser } from '@/api/session'
import { Link } from '@/lib/route'
import { mayManageCampaigns } from '@/lib/roles'
import { useText } from '@/lib/text'
import { formatCount } from '@/lib/format'
import { Icon } from '@/ui/Icon'
import { listAllowedMenuEntries, MENU_ENTRIES, SECONDARY_MENU_ENTRIES, LEGAL_MENU_ENTRIES, type MenuEntry } from '../routes'
import { SignOutButton } from '../SignOutButton'
import { useDesktopText } from './text'
import styles from './NavigationRail.module.css'

interface RailProps {
  user: SessionUser
  path: string
  /** Whether the rail is hidden; true while the main menu is open, which shows the same links. */
  hidden: boolean
}

/** Navigation rail at the left edge of a wide window: menu links with the current page marked, and sign-out and policies at the bottom. */
export function NavigationRail({ user, path, hidden }: RailProps) {
  const t = useDesktopText()
  const developer = useQuery(currentUserQuery).data?.developer ?? false
  const conflicts = useOpenConflicts(undefined, mayManageCampaigns(user.user_type))?.meta.total_count ?? 0
  const entriesFor = (entries: MenuEntry[]) =>
    listAllowedMenuEntries(entries, user.user_type, developer).map((entry) => (
      <RailLink key={entry.to} entry={entry} current={path.startsWith(entry.to)} count={entry.to === '/conflicts' ? conflicts : 0} />
    ))
  return (
    <nav className={styles.rail} aria-label={t('rail.label')} aria-hidden={hidden} inert={hidden}>
      {entriesFor(MENU_ENTRIES)}
      <hr className={styles.line} />
      {entriesFor(SECONDARY_MENU_ENTRIES)}
      <div className={styles.leave}>
        <SignOutButton user={user} className={styles.entry}>
          <Icon name="out" size={22} />
          {t('menu.logout')}
        </SignOutButton>
        {entriesFor(LEGAL_MENU_ENTRIES)}
      </div>
    </nav>
  )
}

interface RailLinkProps {
  entry: MenuEntry
  current: boolean
  /** Number shown as a badge on the link, such as the number of open conflicts; 0 shows no badge. */
  count: number
}

function RailLink({ entry: { label, icon, to }, current, count }: RailLinkProps) {
  const t = useText()
  return (
    <Link href={to} className={styles.entry} aria-current={current ? 'page' : undefined} {...(count > 0 && { 'data-count': formatCount(count), 'aria-label': `${t(label)}, ${formatCount(count)}` })}>
      <Icon name={icon} size={22} />
      {t(label)}
    </Link>
  )
}
