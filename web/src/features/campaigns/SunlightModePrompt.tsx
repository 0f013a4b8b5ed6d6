import { useState } from 'react'
import { appearance, setAppearance } from '@/lib/appearance'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { useStore } from '@/lib/store'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { useCampaignsText } from './text'
import styles from './SunlightModePrompt.module.css'

const NAME = 'sun-offer'
/**
 * Hours of the day, by the clock of the device, between which the app offers the sunlight appearance. `LAST_HOUR` itself is excluded.
 */
const [FIRST_HOUR, LAST_HOUR] = [8, 17]

const isTrue = (value: unknown): value is true => value === true
const isDaytime = (hour: number): boolean => hour >= FIRST_HOUR && hour < LAST_HOUR

/**
 * Offers the sunlight appearance (maximum contrast) on a phone in the daytime, until the person has accepted or declined on this
 * device.
 */
export function SunlightModePrompt() {
  const t = useCampaignsText()
  const { highContrast } = useStore(appearance)
  const isPhone = useMediaQuery('(pointer: coarse) and (max-width: 767px)')
  const [isOpen, setOpen] = useState(() => isDaytime(new Date().getHours()) && readStoredJson(localStorage, NAME, isTrue) === null)
  const answer = (wanted: boolean) => {
    writeStoredJson(localStorage, NAME, true)
    setOpen(false)
    if (wanted) setAppearance({ theme: 'light', highContrast: true })
  }
  if (!isOpen || !isPhone || highContrast) return null
  return (
    <Alert kind="info">
      <p>{t('sun.offer')}</p>
      <div className={styles.answers}>
        <Button onClick={() => answer(true)}>{t('sun.use')}</Button>
        <Button onClick={() => answer(false)}>{t('sun.refuse')}</Button>
      </div>
    </Alert>
  )
}
