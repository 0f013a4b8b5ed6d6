import { appearance, setAppearance, type Appearance } from '@/lib/appearance'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { useStore } from '@/lib/store'
import { useText, type TextKey } from '@/lib/text'
import { Icon, type IconName } from '@/ui/Icon'
import styles from './AppearanceButton.module.css'

const MODES: { label: TextKey; icon: IconName; choice: Appearance }[] = [
  { label: 'look.light', icon: 'contrast', choice: { theme: 'light', highContrast: false } },
  { label: 'look.dark', icon: 'night', choice: { theme: 'dark', highContrast: false } },
  { label: 'look.sunShort', icon: 'day', choice: { theme: 'light', highContrast: true } },
]

/** Button that cycles through the appearances: light theme, dark theme, and high contrast for use in sunlight. */
export function AppearanceButton() {
  const t = useText()
  const { theme, highContrast } = useStore(appearance)
  const isDeviceDark = useMediaQuery('(prefers-color-scheme: dark)')
  const current = highContrast ? 2 : theme === 'dark' || (theme === 'system' && isDeviceDark) ? 1 : 0
  const [now, next] = [MODES[current], MODES[(current + 1) % MODES.length]]
  if (now === undefined || next === undefined) return null
  const name = t('look.cycle', { now: t(now.label), next: t(next.label) })
  return (
    <button type="button" className={styles.look} onClick={() => setAppearance(next.choice)} aria-label={name} title={name}>
      <Icon name={now.icon} size={20} />
      {t(now.label)}
    </button>
  )
}
