import type { Language } from '@/lib/text'
import { startOfDay } from './workHours'

const ZONE = 'Etc/GMT+3'

/** Creates formatters of days and times in the language of the page, at UTC-3 like all times of the app. */
export function createDateFormats(language: Language) {
  const locale = language === 'en' ? 'en-GB' : 'pt-BR'
  const format = (options: Intl.DateTimeFormatOptions) => {
    const form = new Intl.DateTimeFormat(locale, { timeZone: ZONE, ...options })
    return (at: number) => form.format(at).replaceAll('.', '')
  }
  const [day, time] = [format({ weekday: 'short', day: 'numeric', month: 'short' }), format({ hour: '2-digit', minute: '2-digit' })]
  const shortDay = format({ weekday: 'short', day: 'numeric' })
  /** Formats a time, without the day when it is the day of `now`. */
  const moment = (at: number, now: number) => (startOfDay(at) === startOfDay(now) ? time(at) : `${shortDay(at)}, ${time(at)}`)
  return { day, shortDay, time, moment }
}

export type DateFormats = ReturnType<typeof createDateFormats>
