import { expect, test } from 'vitest'
import { createDateFormatters } from './dateFormatters'

const DAY_MS = 24 * 3_600_000
const NOON = Date.UTC(2026, 0, 1, 15, 5)

test.each([
  ['en', 'en-GB'],
  ['pt-BR', 'pt-BR'],
] as const)('every day of a year is written as Intl writes it in %s', (language, locale) => {
  const formats = createDateFormatters(language)
  const intl = (at: number, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone: 'Etc/GMT+3', ...options }).format(at).replaceAll('.', '')
  for (let at = NOON; at < NOON + 365 * DAY_MS; at += DAY_MS) {
    expect(formats.shortDay(at)).toBe(intl(at, { weekday: 'short', day: 'numeric' }))
    expect(formats.day(at)).toBe(intl(at, { weekday: 'short', day: 'numeric', month: 'short' }))
    expect(formats.time(at)).toBe(intl(at, { hour: '2-digit', minute: '2-digit' }))
  }
})

test('a moment has its day only when that is not today, at UTC-3', () => {
  const { moment } = createDateFormatters('en')
  const now = Date.parse('2026-11-25T23:30:00-03:00')
  expect(moment(Date.parse('2026-11-25T00:10:00-03:00'), now)).toBe('00:10')
  expect(moment(Date.parse('2026-11-26T00:10:00-03:00'), now)).toBe('Thu 26, 00:10')
})
