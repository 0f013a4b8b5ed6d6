import { expect, test } from 'vitest'
import { listTimeTicks } from './chartScale'
import { createDateFormatters } from './dateFormatters'

const at = (text: string) => Date.parse(`${text}-03:00`)
const labels = (begin: string, end: string, most: number, language: 'en' | 'pt-BR' = 'en') => {
  const formats = createDateFormatters(language)
  return listTimeTicks(at(begin), at(end), most).map((mark) => (mark.isDate ? formats.shortDay(mark.at) : formats.time(mark.at)))
}

test('within one day the axis shows hours, also in Portuguese', () => {
  expect(labels('2026-11-24T08:10', '2026-11-24T11:50', 8)).toEqual(['09:00', '10:00', '11:00'])
  expect(labels('2026-11-24T07:00', '2026-11-24T17:00', 4, 'pt-BR')).toEqual(['09:00', '12:00', '15:00'])
  expect(labels('2026-11-24T14:00', '2026-11-25T00:00', 3)).toEqual(['16:00', '20:00', '00:00'])
})

test('past midnight the axis shows the date once, between hours', () => {
  expect(labels('2026-11-24T14:00', '2026-11-25T11:30', 8)).toEqual(['15:00', '18:00', '21:00', 'Wed 25', '03:00', '06:00', '09:00'])
  expect(labels('2026-11-24T14:00', '2026-11-25T11:30', 3, 'pt-BR')).toEqual(['16:00', 'qua, 25', '08:00'])
})

test('over several days the axis shows dates only, as many as fit', () => {
  expect(labels('2026-11-24T14:00', '2026-11-28T09:00', 8)).toEqual(['Wed 25', 'Thu 26', 'Fri 27', 'Sat 28'])
  expect(labels('2026-11-24T00:00', '2026-11-30T09:00', 4, 'pt-BR')).toEqual(['ter, 24', 'qui, 26', 'sáb, 28', 'seg, 30'])
})
