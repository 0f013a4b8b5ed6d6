import { useEffect, useState } from 'react'
import type { Language } from './text'

const MINUTE = 60_000
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [['day', 86_400_000], ['hour', 3_600_000], ['minute', MINUTE]]

/** Returns the time since `at` in words, such as '5 minutes ago'. A time in the future, from a wrong clock, is shown as 'now'. */
export function formatTimeAgo(at: number, now: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(language === 'en' ? 'en' : 'pt-BR', { numeric: 'auto' })
  const passed = Math.max(0, now - at)
  const [unit, ms] = UNITS.find(([, least]) => passed >= least) ?? ['second', 1000]
  return format.format(unit === 'second' ? 0 : -Math.floor(passed / ms), unit)
}

/** Returns the current time in milliseconds since 1970, updated every half minute. */
export function useCurrentTime(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}
