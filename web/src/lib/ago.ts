import { useEffect, useState } from 'react'
import type { Language } from './text'

const MINUTE = 60_000
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [['day', 86_400_000], ['hour', 3_600_000], ['minute', MINUTE]]

/** How long ago, in words. A clock that was wrong when it was noted, or is now, makes it 'now'. */
export function ago(at: number, now: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(language === 'en' ? 'en' : 'pt-BR', { numeric: 'auto' })
  const passed = Math.max(0, now - at)
  const [unit, ms] = UNITS.find(([, least]) => passed >= least) ?? ['second', 1000]
  return format.format(unit === 'second' ? 0 : -Math.floor(passed / ms), unit)
}

/** The time, told anew every half minute. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}
