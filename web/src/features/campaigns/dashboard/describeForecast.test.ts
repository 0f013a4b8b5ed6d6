import { expect, test } from 'vitest'
import { createDateFormatters } from './dateFormatters'
import { formatFinishTimeRange } from './describeForecast'
import { catalogues } from './text'

const at = (time: string) => Date.parse(`2026-11-20T${time}-03:00`)
const formats = createDateFormatters('en')
const words = (key: keyof typeof catalogues.en, values: Record<string, unknown> = {}) => Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, String(value)), catalogues.en[key])

test.each([
  ['14:03:20', '14:07:00', '14:00 to 14:10'],
  ['14:00:00', '14:00:00', '14:00 to 14:10'],
  ['14:09:59', '15:40:01', '14:00 to 15:50'],
])('an end between %s and %s is %s, and never a single minute', (earliest, latest, range) => {
  expect(formatFinishTimeRange({ earliest: at(earliest), latest: at(latest) }, formats, at('12:00:00'), words as Parameters<typeof formatFinishTimeRange>[3])).toBe(range)
})
