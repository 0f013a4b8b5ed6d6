import { createLazyGetter } from '@/lib/createLazyGetter'
import type { Language } from '@/lib/text'
import { getStartOfDay } from './workingHours'

const ZONE = 'Etc/GMT+3'

/** Creates formatters of days and times in a language, at UTC-3 like all times of the app. */
function createDateFormatters(language: Language) {
  const locale = language === 'en' ? 'en-GB' : 'pt-BR'
  const format = (options: Intl.DateTimeFormatOptions) => {
    const form = createLazyGetter(() => new Intl.DateTimeFormat(locale, { timeZone: ZONE, ...options }))
    return (at: number) => form().format(at).replaceAll('.', '')
  }
  const [day, time] = [format({ weekday: 'short', day: 'numeric', month: 'short' }), format({ hour: '2-digit', minute: '2-digit' })]
  const shortDay = format({ weekday: 'short', day: 'numeric' })
  /** Formats a point in time as day and time. Leaves out the day when it is the day of `now`. */
  const moment = (at: number, now: number) => (getStartOfDay(at) === getStartOfDay(now) ? time(at) : `${shortDay(at)}, ${time(at)}`)
  return { day, shortDay, time, moment }
}

export type DateFormatters = ReturnType<typeof createDateFormatters>

const formatters = new Map<Language, DateFormatters>()

/** Returns the formatters of days and times in the language of the page. They are created once, because a page with charts renders often. */
export function getDateFormatters(language: Language): DateFormatters {
  const known = formatters.get(language) ?? createDateFormatters(language)
  formatters.set(language, known)
  return known
}
