import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import { holdInspections } from '@/testing/pendingSaves'
import { stubServer } from '@/testing/server'
import { LEADER, OPERATOR, renderPage, signInAs } from '@/testing/renderPage'
import HomePage from './HomePage'

const at = new Date().toISOString()
const campaign = { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: at, modified_at: at, total_vehicles: 40, total_inspected: 12, allClosed: false, progress_unknown: false }
const person = (hmc: string, yard_name: string | null, per_hour: number) => ({ hmc, yard_id: yard_name === null ? null : 2, yard_name, last_at: at, saves: 5, per_hour })

afterEach(endSessionAndKeepData)

const paceOf = (campaign_id: number, people: ReturnType<typeof person>[]) => ({ campaign_id, people, per_hour: 137, remaining: 28, finish_at: null })

async function open(user: SessionUser, paces = [paceOf(5, [person('4711', null, 20), person(user.hmc, 'B', 31), person('4712', 'A', 106)])], more: Parameters<typeof stubServer>[0] = {}) {
  signInAs(user)
  stubServer({
    'GET /campaigns': { campaigns: [campaign], meta: { page_index: 0, total_count: 23, per_page: 10, yard_name: null } },
    'GET /pace': paces, 'GET /yards': { yards: [{ id: 2, name: 'B', vehicles_count: 40, vehicles_inspected_count: 12 }], meta: { page_index: 0, total_count: 1, per_page: 200 } },
    'GET /activity': { hours: [], yards: [], people: [{ hmc: user.hmc, inspected: 21, saves: 23, found_wrong: 3 }], total: 40, inspected: 12, inspected_before: 0 },
    ...more,
  })
  renderPage(HomePage, '/campaign-home', '/campaign-home')
  const working = await screen.findByRole('region', { name: 'Working now' })
  return within(working).getAllByRole('listitem').map((row) => row.textContent)
}

test('an operator sees who works where and their own three numbers, but no pace of other people', async () => {
  const rows = await open(OPERATOR)
  expect(rows).toEqual(['4712Yard A', `${OPERATOR.hmc}Yard B`, '4711'])
  const own = within(screen.getByRole('region', { name: 'Your work today' }))
  await waitFor(() => expect(own.getAllByRole('definition').map((number) => number.textContent)).toEqual(['21', '31', '3']))
})

test('a team leader reads the pace of each person by yard', async () => {
  const rows = await open(LEADER)
  expect(rows.map((row) => row?.replace(/ · .*/, ''))).toEqual(['4712106 por horaYard A', `${LEADER.hmc}31 por horaYard B`, expect.stringMatching(/^471120 por hora/)])
  expect(screen.queryByRole('region', { name: 'Your work today' })).toBeNull()
})

test('a person who works in two campaigns is listed once, in the yard of their latest save', async () => {
  const before = new Date(Date.parse(at) - 60_000).toISOString()
  const rows = await open(OPERATOR, [
    paceOf(5, [{ ...person('4711', 'A', 20), last_at: before }, person('4712', 'A', 30)]),
    paceOf(6, [person('4711', 'B', 40), { ...person('4712', 'B', 10), last_at: before }]),
    paceOf(7, [{ ...person('4711', 'C', 20), last_at: before }]),
  ])
  expect(rows).toEqual(['4712Yard A', '4711Yard B'])
})

test('the rate of a campaign is the sum of the people listed there, and a closed campaign has no rate', async () => {
  const before = new Date(Date.parse(at) - 60_000).toISOString()
  signInAs(LEADER)
  const calls = stubServer({
    'GET /campaigns': { campaigns: [campaign, { ...campaign, id: 6, name: 'Brakes' }, { ...campaign, id: 7, status: 'Closed' }], meta: { page_index: 0, total_count: 3, per_page: 10, yard_name: null } },
    'GET /pace': [paceOf(5, [{ ...person('4711', 'A', 70), last_at: before }, person('4712', 'A', 30)]), paceOf(6, [person('4711', 'B', 40)])],
  })
  renderPage(HomePage, '/campaign-home', '/campaign-home')
  const working = await screen.findByRole('region', { name: 'Working now' })
  expect(within(working).getAllByText(/veículos por hora$/).map((rate) => rate.textContent)).toEqual(['30 veículos por hora', '40 veículos por hora'])
  expect(calls.filter(({ name }) => name === 'GET /pace').map(({ query }) => query.get('campaigns'))).toEqual(['5,6'])
})

test('a save that is not sent yet counts in the campaign and in the total of all yards', async () => {
  await open(OPERATOR)
  holdInspections({ campaign: 5, yard: 2 })
  await screen.findByText('13 / 40')
  expect(screen.getByRole('region', { name: 'Progress' }).textContent).toMatch(/^13 \/ 40 /)
  expect(screen.getByRole('link', { name: 'Yard B: 13 of 40 inspected' })).toBeDefined()
})

test('the printed list says which of the campaigns it has', async () => {
  await open(LEADER)
  expect(screen.queryByText('1 to 1 of 23')).toBeNull()
  act(() => void window.dispatchEvent(new Event('beforeprint')))
  expect(screen.getByText('1 to 1 of 23')).toBeTruthy()
  act(() => void window.dispatchEvent(new Event('afterprint')))
  expect(screen.queryByText('1 to 1 of 23')).toBeNull()
})
