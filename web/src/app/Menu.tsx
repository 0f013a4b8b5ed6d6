import { useQuery, useQueryClient } from '@tanstack/react-query'
import { bearer, http } from '@/api/client'
import { forgetDrafts } from '@/api/drafts'
import { meQuery } from '@/api/queries'
import { currentOwner, leaveSession, type User } from '@/api/session'
import { look, setLook, THEMES, type Theme } from '@/lib/look'
import { Link, navigate } from '@/lib/route'
import { useStore } from '@/lib/store'
import { LANGUAGES, setLanguage, useLanguage, useText, type Key, type Language } from '@/lib/text'
import { Dialog } from '@/ui/Dialog'
import { Select } from '@/ui/Field'
import { Icon } from '@/ui/Icon'
import { MENU, MORE, POLICIES, type Entry } from './screens'
import styles from './Menu.module.css'

/** The slide-in menu at the right: ways to go, and how the product looks and speaks. */
export function Menu({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useText()
  const developer = useQuery(meQuery).data?.developer ?? false
  const logout = useLogout()
  const entriesFor = (entries: Entry[]) =>
    entries
      .filter(({ allow }) => allow?.(user.user_type, developer) ?? true)
      .map((entry) => <EntryLink key={entry.to} entry={entry} onClose={onClose} />)
  return (
    <Dialog kind="drawer" label={t('menu.title')} onClose={onClose}>
      <div className={styles.menu}>
        <div className={styles.top}>
          <h2>{t('menu.title')}</h2>
          <button type="button" className={styles.close} onClick={onClose} aria-label={t('menu.close')}>
            <Icon name="close" />
          </button>
        </div>
        <nav className={styles.entries} aria-label={t('menu.title')}>
          {entriesFor(MENU)}
          <button type="button" className={styles.entry} onClick={logout}>
            <Icon name="out" />
            {t('menu.logout')}
          </button>
          {entriesFor(POLICIES)}
        </nav>
        <nav className={styles.more} aria-label={t('menu.more')}>
          <h3>{t('menu.more')}</h3>
          {entriesFor(MORE)}
        </nav>
        <Settings />
      </div>
    </Dialog>
  )
}

function EntryLink({ entry: { label, icon, to }, onClose }: { entry: Entry; onClose: () => void }) {
  const t = useText()
  return (
    <Link href={to} className={styles.entry} onClick={onClose}>
      <Icon name={icon} />
      {t(label)}
    </Link>
  )
}

/** Ends the session here at once and on the server as soon as it hears of it. */
function useLogout() {
  const queries = useQueryClient()
  return () => {
    http.DELETE('/sessions', { headers: bearer() }).catch(() => console.warn('the server was not told of the sign-out'))
    const owner = currentOwner()
    leaveSession()
    navigate('/', { replace: true })
    if (owner !== null) void import('@/api/forget').then(({ forgetPerson }) => forgetPerson(owner)).catch(() => console.warn('what was kept here was not removed'))
    forgetDrafts()
    queries.clear()
  }
}

const LANGUAGE_LABELS: Record<Language, string> = { default: 'English + Português', en: 'English', 'pt-BR': 'Português (Brasil)' }
const THEME_LABELS: Record<Theme, Key> = { system: 'look.system', light: 'look.light', dark: 'look.dark' }

function Settings() {
  const t = useText()
  const language = useLanguage()
  const shown = useStore(look)
  return (
    <div className={styles.settings}>
      <Select label={t('menu.language')} value={language} onChange={(event) => void setLanguage(choiceIn(LANGUAGES, event.target.value))}>
        {LANGUAGES.map((choice) => (
          <option key={choice} value={choice}>
            {LANGUAGE_LABELS[choice]}
          </option>
        ))}
      </Select>
      <Select label={t('look.theme')} value={shown.theme} onChange={(event) => setLook({ ...shown, theme: choiceIn(THEMES, event.target.value) })}>
        {THEMES.map((choice) => (
          <option key={choice} value={choice}>
            {t(THEME_LABELS[choice])}
          </option>
        ))}
      </Select>
      <label className={styles.switch}>
        <input type="checkbox" role="switch" checked={shown.sun} onChange={(event) => setLook({ ...shown, sun: event.target.checked })} />
        <span>{t('look.sun')}</span>
      </label>
    </div>
  )
}

const choiceIn = <T extends string>(choices: readonly [T, ...T[]], text: string): T =>
  choices.find((choice) => choice === text) ?? choices[0]
