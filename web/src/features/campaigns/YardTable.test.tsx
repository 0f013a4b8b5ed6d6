import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { InspectionActivity, InspectionPace } from '@/api/types'
import { LEADER, OPERATOR, renderPage, signInAs } from '@/testing/renderPage'
import { computeFinishForecast } from './dashboard/forecast'
import { YardTable } from './YardTable'

const yards = [
  { id: 19, name: '-', done: 0, total: 12 },
  { id: 4, name: 'B', done: 30, total: 90 },
  { id: 2, name: 'A', done: 20, total: 20 },
  { id: 3, name: 'M', done: 0, total: 0 },
]
const at = new Date().toISOString()
const pace: InspectionPace = { campaign_id: 5, people: [{ hmc: '4711', yard_id: 4, yard_name: 'B', last_at: at, saves: 5, per_hour: 60 }], per_hour: 60, remaining: 72, finish_at: null }
const activity: InspectionActivity = {
  hours: [], people: [], total: 122, inspected: 50, inspected_before: 50,
  yards: [{ yard_id: 4, yard_name: 'B', inspected: 0, saves: 0, found_wrong: 0, total_vehicles: 90, total_inspected: 30, statuses: [{ status: 'ok', vehicles: 27 }, { status: 'ng', vehicles: 3 }] }],
}

const forecast = computeFinishForecast(activity, pace.per_hour, null, Date.parse(at))

afterEach(endSessionAndKeepData)

const cellsOf = () => screen.getAllByRole('row').slice(1).map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent))
const show = (manages: boolean) => {
  signInAs(manages ? LEADER : OPERATOR)
  renderPage(() => <YardTable yards={yards} pace={pace} activity={activity} forecast={forecast} hrefOf={({ id }) => `/campaign/5?yard=${id}`} current={null} manages={manages} />, '/', '/')
}

test('the rows of all yards and of vehicles without a yard add up to the last row, with pace and estimated end', () => {
  show(true)
  const rows = cellsOf()
  const counts = rows.map(([name, , done, total, left, wrong, perHour]) => [name, done, total, left, wrong, perHour])
  expect(counts).toEqual([
    ['A', '20', '20', 'done', '–', '–'],
    ['B', '30', '90', '60', '3', '60'],
    ['no yard (-)', '0', '12', '12', '–', '–'],
    ['All', '50', '122', '72', '3', '60'],
  ])
  const [ends, people] = [rows.map((cells) => cells[7]), rows.map((cells) => cells[8])]
  expect(ends).toEqual(['–', expect.stringMatching(/\d\d:\d\d$/), '–', expect.stringMatching(/\d\d:\d\d$/)])
  expect(people).toEqual(['–', '4711', '–', '1 pessoa agora'])
})

test('a yard without a vehicle found wrong has no red ink', () => {
  show(true)
  const wrong = screen.getAllByRole('row').slice(1).map((row) => row.querySelectorAll('th, td')[5]?.className)
  expect(wrong.map((name) => /wrong/.test(name ?? ''))).toEqual([false, true, false, true])
})

test('an operator reads who is in which yard, and no pace', () => {
  show(false)
  expect(screen.queryByRole('columnheader', { name: 'Per hour' })).toBeNull()
  expect(cellsOf()[1]).toEqual(['B', '', '30', '90', '60', '3', '4711'])
})
