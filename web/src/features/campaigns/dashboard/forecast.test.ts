import { expect, test } from 'vitest'
import type { InspectionActivity } from '@/api/types'
import { createDateFormatters } from './dateFormatters'
import { describeRequiredRate } from './describeForecast'
import { listProgressPoints, listRequiredProgressPoints, computeFinishForecast } from './forecast'
import { addWorkingHours, countWorkingHours, inferWorkingHours } from './workingHours'

const at = (text: string) => Date.parse(`${text}-03:00`)
const hour = (text: string, inspected: number) => ({ at: new Date(at(text)).toISOString(), inspected, saves: inspected, found_wrong: 0 })
const activity: InspectionActivity = {
  hours: [hour('2026-11-24T08:00', 20), hour('2026-11-24T09:00', 40), hour('2026-11-24T15:00', 30), hour('2026-11-25T08:00', 10)],
  yards: [], people: [], total: 300, inspected: 105, inspected_before: 5,
}

test('the line is flat between the hours with work and ends with the number of now', () => {
  const now = at('2026-11-25T08:30')
  const line = listProgressPoints(activity, now).map(({ at: time, done }) => [new Date(time).toISOString().slice(8, 16), done])
  expect(line).toEqual([
    ['24T11:00', 5], ['24T12:00', 25], ['24T12:00', 25], ['24T13:00', 65], ['24T18:00', 65], ['24T19:00', 95], ['25T11:00', 95], ['25T11:30', 105], ['25T11:30', 105],
  ])
  expect(listProgressPoints(activity, now, at('2026-11-25T00:00'))[0]).toEqual({ at: at('2026-11-25T08:00'), done: 95 })
})

test('only working hours count, as the work shows them', () => {
  expect(inferWorkingHours([])).toEqual({ first: 7, end: 17 })
  expect(inferWorkingHours([at('2026-11-24T18:00')])).toEqual({ first: 7, end: 19 })
  const hours = inferWorkingHours([8, 9, 12, 15].map((h) => at(`2026-11-24T${String(h).padStart(2, '0')}:00`)))
  expect(hours).toEqual({ first: 8, end: 16 })
  expect(addWorkingHours(at('2026-11-24T15:30'), 1, hours)).toBe(at('2026-11-25T08:30'))
  expect(addWorkingHours(at('2026-11-24T15:30'), 9_999_999, hours)).toBeNull()
  expect(countWorkingHours(at('2026-11-24T15:30'), at('2026-11-25T09:15'), hours)).toBeCloseTo(1.75)
})

test('a due date after the last working hour of today is ahead, not over', () => {
  const described = (due: string) => {
    const now = at('2026-11-25T18:00')
    const forecast = computeFinishForecast(activity, 39, new Date(at(due)).toISOString(), now)
    return describeRequiredRate((key) => key, forecast, 39, createDateFormatters('en'), now)
  }
  expect(['2026-11-25T20:00', '2026-11-25T12:00', '2026-11-26T12:00'].map(described)).toEqual(['chart.noHoursLeft', 'chart.overdue', 'chart.needs'])
})

test('the line of the needed progress is flat outside of working hours, and straight when none are left', () => {
  const hours = { first: 8, end: 16 }
  const line = (now: string, due: string) => listRequiredProgressPoints(activity, at(due), hours, at(now)).map(({ at: time, done }) => [new Date(time).toISOString().slice(8, 16), done])
  expect(line('2026-11-25T14:00', '2026-11-26T12:00')).toEqual([
    ['25T17:00', 105], ['25T17:00', 105], ['25T19:00', 170], ['26T11:00', 170], ['26T15:00', 300], ['26T15:00', 300],
  ])
  expect(line('2026-11-25T17:00', '2026-11-25T20:00')).toEqual([['25T20:00', 105], ['25T23:00', 300]])
})

test('the end is a range between the slowest and the fastest recent pace, and the due date says what it needs', () => {
  const now = at('2026-11-25T09:00')
  const { finish, need } = computeFinishForecast(activity, 39, new Date(at('2026-11-26T12:00')).toISOString(), now)
  expect(finish).toEqual({ earliest: at('2026-11-25T14:00'), latest: at('2026-11-27T08:30') }) // 195 at 39 an hour, and at 10 an hour
  expect(need).toEqual({ dueAt: at('2026-11-26T12:00'), perHour: 15, isLate: false }) // 8 and 5 hours
  expect(computeFinishForecast(activity, 39, new Date(at('2026-11-25T10:00')).toISOString(), now).need?.isLate).toBe(true)
  expect(computeFinishForecast({ ...activity, hours: [] }, 0, null, now)).toEqual({ hours: { first: 7, end: 17 }, finish: null, need: null })
  expect(computeFinishForecast({ ...activity, inspected: 300 }, 39, new Date(now).toISOString(), now)).toMatchObject({ finish: null, need: null })
})
