import { useEffect, useState } from 'react'
import { mayManageCampaigns } from '@/lib/roles'
import { navigate } from '@/lib/route'
import { useStore } from '@/lib/store'
import { areShortcutsEnabled } from '@/lib/keyboardShortcuts'
import { listenForShortcuts } from '@/lib/listenForShortcuts'
import { listKeyboardHelpEntries, type KeyboardHelpEntry } from '@/lib/keyboardHelp'
import { Dialog } from '@/ui/Dialog'
import { Icon } from '@/ui/Icon'
import { useDesktopText, type DesktopTextKey } from './text'
import styles from './KeyboardShortcuts.module.css'

interface NavigationShortcut {
  keys: string
  label: DesktopTextKey
  to: string
}

const HOME: NavigationShortcut = { keys: 'g h', label: 'keys.home', to: '/campaign-home' }
const MANAGING: NavigationShortcut[] = [
  { keys: 'g m', label: 'keys.manage', to: '/campaign-list' },
  { keys: 'g c', label: 'keys.conflicts', to: '/conflicts' },
]

/**
 * Handles the shortcuts that work on every page. The key '?' opens a dialog that lists these shortcuts and the shortcuts of the current
 * page.
 */
export function KeyboardShortcuts({ userType }: { userType: string }) {
  const isOn = useStore(areShortcutsEnabled)
  const [opened, setOpened] = useState<{ searches: boolean; page: KeyboardHelpEntry[] } | null>(null)
  useEffect(() => {
    const open = () => setOpened({ searches: document.querySelector('[role=search]') !== null, page: listKeyboardHelpEntries() })
    return listenForShortcuts({ '?': open, ...Object.fromEntries(listReachable(userType).map(({ keys, to }) => [keys, () => navigate(to)])) })
  }, [userType])
  if (opened === null || !isOn) return null
  return <Help {...opened} userType={userType} onClose={() => setOpened(null)} />
}

const listReachable = (userType: string): NavigationShortcut[] => (mayManageCampaigns(userType) ? [HOME, ...MANAGING] : [HOME])

interface HelpProps {
  userType: string
  /** Whether the page or the header has a search field. */
  searches: boolean
  /** Shortcuts of the current page. */
  page: KeyboardHelpEntry[]
  onClose: () => void
}

function Help({ userType, searches, page, onClose }: HelpProps) {
  const t = useDesktopText()
  const everywhere: [string, DesktopTextKey][] = [
    ...(searches ? [['/', 'keys.search'] satisfies [string, DesktopTextKey]] : []),
    ['?', 'keys.help'],
    ...listReachable(userType).map(({ keys, label }): [string, DesktopTextKey] => [keys, label]),
    ['Esc', 'keys.escape'],
  ]
  return (
    <Dialog label={t('keys.title')} onClose={onClose}>
      <div className={styles.sheet}>
        <div className={styles.top}>
          <h2>{t('keys.title')}</h2>
          <button type="button" className={styles.close} onClick={onClose} aria-label={t('scan.close')}>
            <Icon name="close" />
          </button>
        </div>
        {page.length > 0 && <h3 className={styles.group}>{t('keys.page')}</h3>}
        {page.length > 0 && <Keys rows={page.map(({ keys, label }) => ({ keys, label, between: null }))} />}
        {page.length > 0 && <h3 className={styles.group}>{t('keys.everywhere')}</h3>}
        <Keys rows={everywhere.map(([keys, label]) => ({ keys: keys.split(' '), label: t(label), between: t('keys.then') }))} />
        <p className="quiet">{t('keys.off')}</p>
      </div>
    </Dialog>
  )
}

interface KeysRow extends KeyboardHelpEntry {
  /** Word shown between keys that are typed one after the other, such as `then`; null if the keys are alternatives. */
  between: string | null
}

function Keys({ rows }: { rows: KeysRow[] }) {
  return (
    <dl className={styles.keys}>
      {rows.map(({ keys, label, between }) => (
        <div key={label}>
          <dt>
            {keys.map((key, index) => (
              <span key={key}>
                {index > 0 && <span className={styles.then}>{between === null ? ' ' : ` ${between} `}</span>}
                <kbd>{key}</kbd>
              </span>
            ))}
          </dt>
          <dd>{label}</dd>
        </div>
      ))}
    </dl>
  )
}
