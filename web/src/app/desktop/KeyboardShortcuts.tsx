import { useEffect, useState } from 'react'
import { mayManageCampaigns } from '@/lib/roles'
import { navigate } from '@/lib/route'
import { useStore } from '@/lib/store'
import { areShortcutsEnabled } from '@/lib/keyboardShortcuts'
import { Dialog } from '@/ui/Dialog'
import { Icon } from '@/ui/Icon'
import { listenForShortcuts } from './shortcuts'
import { useDesktopText, type DesktopTextKey } from './text'
import styles from './KeyboardShortcuts.module.css'

interface PageShortcut {
  keys: string
  label: DesktopTextKey
  to: string
}

const HOME: PageShortcut = { keys: 'g h', label: 'keys.home', to: '/campaign-home' }
const MANAGING: PageShortcut[] = [
  { keys: 'g m', label: 'keys.manage', to: '/campaign-list' },
  { keys: 'g c', label: 'keys.conflicts', to: '/conflicts' },
]

/** Handles the shortcuts that work on every page, and lists them in a dialog when '?' is typed. */
export function KeyboardShortcuts({ userType }: { userType: string }) {
  const t = useDesktopText()
  const isOn = useStore(areShortcutsEnabled)
  const [isOpen, setOpen] = useState(false)
  const pages = mayManageCampaigns(userType) ? [HOME, ...MANAGING] : [HOME]
  useEffect(() => {
    const reachable = mayManageCampaigns(userType) ? [HOME, ...MANAGING] : [HOME]
    return listenForShortcuts({ '?': () => setOpen(true), ...Object.fromEntries(reachable.map(({ keys, to }) => [keys, () => navigate(to)])) })
  }, [userType])
  if (!isOpen || !isOn) return null
  const rows: [string, DesktopTextKey][] = [['/', 'keys.search'], ['?', 'keys.help'], ...pages.map(({ keys, label }): [string, DesktopTextKey] => [keys, label]), ['Esc', 'keys.escape']]
  return (
    <Dialog label={t('keys.title')} onClose={() => setOpen(false)}>
      <div className={styles.sheet}>
        <div className={styles.top}>
          <h2>{t('keys.title')}</h2>
          <button type="button" className={styles.close} onClick={() => setOpen(false)} aria-label={t('scan.close')}>
            <Icon name="close" />
          </button>
        </div>
        <dl className={styles.keys}>
          {rows.map(([keys, label]) => (
            <div key={keys}>
              <dt>
                {keys.split(' ').map((key, index) => (
                  <span key={key}>
                    {index > 0 && <span className={styles.then}> {t('keys.then')} </span>}
                    <kbd>{key}</kbd>
                  </span>
                ))}
              </dt>
              <dd>{t(label)}</dd>
            </div>
          ))}
        </dl>
        <p className="quiet">{t('keys.off')}</p>
      </div>
    </Dialog>
  )
}
