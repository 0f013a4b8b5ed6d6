import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { currentUserQuery } from '@/api/currentUserQuery'
import type { SessionUser } from '@/api/session'
import { areShortcutsEnabled, setShortcutsEnabled } from '@/lib/keyboardShortcuts'
import { appearance, setAppearance, THEMES, type Theme } from '@/lib/appearance'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { Link } from '@/lib/route'
import { useStore } from '@/lib/store'
import { LANGUAGES, setLanguage, useLanguage, useText, type TextKey, type Language } from '@/lib/text'
import { Dialog } from '@/ui/Dialog'
import { Select } from '@/ui/Field'
import { Icon } from '@/ui/Icon'
import { listAllowedMenuEntries, MENU_ENTRIES, SECONDARY_MENU_ENTRIES, LEGAL_MENU_ENTRIES, type MenuEntry } from './routes'
import { SignOutButton } from './SignOutButton'
import styles from './MainMenu.module.css'

/** Slide-in menu at the right edge: links to pages, sign-out, and settings such as language and theme. */
export function MainMenu({ user, onClose }: { user: SessionUser; onClose: () => void }) {
  const t = useText()
  const developer = useQuery(currentUserQuery).data?.developer ?? false
  // The settings are rendered in a second step, so that a slow phone shows the links earlier.
  const showsSettings = useDeferredValue(true, false)
  const entriesFor = (entries: MenuEntry[]) => listAllowedMenuEntries(entries, user.user_type, developer).map((entry) => <EntryLink key={entry.to} entry={entry} onClose={onClose} />)
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
          {entriesFor(MENU_ENTRIES)}
          <SignOutButton user={user} className={`${styles.entry} ${styles.leave}`}>
            <Icon name="out" />
            {t('menu.logout')}
          </SignOutButton>
          {entriesFor(LEGAL_MENU_ENTRIES)}
        </nav>
        <nav className={styles.more} aria-label={t('menu.more')}>
          <h3>{t('menu.more')}</h3>
          {entriesFor(SECONDARY_MENU_ENTRIES)}
        </nav>
        {showsSettings && <Settings />}
      </div>
    </Dialog>
  )
}

function EntryLink({ entry: { label, icon, to }, onClose }: { entry: MenuEntry; onClose: () => void }) {
  const t = useText()
  return (
    <Link href={to} className={styles.entry} onClick={onClose}>
      <Icon name={icon} />
      {t(label)}
    </Link>
  )
}

const LANGUAGE_LABELS: Partial<Record<Language, string>> = { en: 'English', 'pt-BR': 'Português (Brasil)' }
const THEME_LABELS: Record<Theme, TextKey> = { system: 'look.system', light: 'look.light', dark: 'look.dark' }

function Settings() {
  const t = useText()
  const language = useLanguage()
  const shown = useStore(appearance)
  const shortcuts = useStore(areShortcutsEnabled)
  const hasKeyboard = useMediaQuery('(pointer: fine)')
  return (
    <div className={styles.settings}>
      <Select label={t('menu.language')} value={language} onChange={(event) => void setLanguage(choiceIn(LANGUAGES, event.target.value))}>
        {LANGUAGES.map((choice) => (
          <option key={choice} value={choice}>
            {LANGUAGE_LABELS[choice] ?? `English + Português (${t('menu.mix')})`}
          </option>
        ))}
      </Select>
      <Select label={t('look.theme')} value={shown.theme} onChange={(event) => setAppearance({ ...shown, theme: choiceIn(THEMES, event.target.value) })}>
        {THEMES.map((choice) => (
          <option key={choice} value={choice}>
            {t(THEME_LABELS[choice])}
          </option>
        ))}
      </Select>
      <Toggle label={t('look.sun')} checked={shown.highContrast} onChange={(highContrast) => setAppearance({ ...shown, highContrast })} />
      {hasKeyboard && <Toggle label={t('menu.shortcuts')} checked={shortcuts} onChange={setShortcutsEnabled} />}
    </div>
  )
}

function Toggle({ label, checked, onChange }: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label className={styles.switch}>
      <input type="checkbox" role="switch" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  )
}

const choiceIn = <T extends string>(choices: readonly [T, ...T[]], text: string): T =>
  choices.find((choice) => choice === text) ?? choices[0]
