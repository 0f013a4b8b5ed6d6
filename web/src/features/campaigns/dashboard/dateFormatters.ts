import { formatHourMinute } from '@/lib/format'
import type { Language } from '@/lib/text'
import { getStartOfDay, toLocalDate } from './workingHours'

/**
 * Short names of days and months, and the text between the parts of a date. The texts are stored here because the first `Intl` formatter
 * would block a slow phone for about 100 ms. A test compares the formatted dates with those of `Intl.DateTimeFormat`
 * without full stops.
 */
const ENGLISH = {
  days: 'Sun Mon Tue Wed Thu Fri Sat'.split(' '),
  months: 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec'.split(' '),
  beforeDate: ' ',
  beforeMonth: ' ',
}
const PORTUGUESE: typeof ENGLISH = {
  days: 'dom seg ter qua qui sex sáb'.split(' '),
  months: 'jan fev mar abr mai jun jul ago set out nov dez'.split(' '),
  beforeDate: ', ',
  beforeMonth: ' de ',
}

/** Creates formatters of days and times in a language, at UTC-3 like all times of the app. Times are in milliseconds since 1970. */
export function createDateFormatters(language: Language) {
  const { days, months, beforeDate, beforeMonth } = language === 'en' ? ENGLISH : PORTUGUESE
  /** Formats the day of a time, as `Wed 25`. */
  const shortDay = (at: number) => `${days[toLocalDate(at).getUTCDay()]}${beforeDate}${toLocalDate(at).getUTCDate()}`
  /** Formats the day of a time with its month, as `Wed 25 Nov`. */
  const day = (at: number) => `${shortDay(at)}${beforeMonth}${months[toLocalDate(at).getUTCMonth()]}`
  /** Formats the time of day, as `14:05`. */
  const time = (at: number) => formatHourMinute(new Date(at))
  /** Formats a point in time as day and time. Leaves out the day when it is the day of `now`. */
  const moment = (at: number, now: number) => (getStartOfDay(at) === getStartOfDay(now) ? time(at) : `${shortDay(at)}, ${time(at)}`)
  return { day, shortDay, time, moment }
}

export type DateFormatters = ReturnType<typeof createDateFormatters>
