import { screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { InspectionActivity, Campaign } from '@/api/types'
import { stubServer } from '@/testing/server'
import { LEADER, OPERATOR, renderPage, signInAs } from '@/testing/renderPage'
import CampaignPage from '../CampaignPage'

const HOUR = 3_600_000
const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 40, total_inspected: 12, allClosed: false, progress_unknown: false,
}
const now = Math.floor(Date.now() / HOUR) * HOUR
const activity: InspectionActivity = {
  hours: [{ at: new Date(now - 24 * HOUR).toISOString(), inspected: 5, saves: 6, found_wrong: 1 }, { at: new Date(now).toISOString(), inspected: 4, saves: 4, found_wrong: 0 }],
  yards: [], people: [{ hmc: '1007', inspected: 9, saves: 10, found_wrong: 1 }], total: 40, inspected: 12, inspected_before: 3,
}

afterEach(endSessionAndKeepData)

function open() {
  const calls = stubServer({ 'GET /campaigns/5': campaign, 'GET /yards/vehicle-counts': [], 'GET /campaigns/5/activity': activity, 'PUT /campaigns/5': campaign })
  return { person: renderPage(CampaignPage, '/campaign/:id', '/campaign/5'), calls }
}

test('the charts say their point in words and show their numbers as tables', async () => {
  signInAs(LEADER)
  const { person } = open()
  const charts = await screen.findByRole('region', { name: 'Progress over time' })
  const progress = within(charts).getByRole('img')
  const hours = within(screen.getByRole('region', { name: /^Per hour, today/ })).getByRole('img')
  expect(progress.getAttribute('aria-label')).toMatch(/^12 de 40 inspecionados\. No ritmo atual, fim previsto: /)
  expect(hours.getAttribute('aria-label')).toMatch(/: 4 no total$/)
  await person.click(within(charts).getByRole('button', { name: 'Show as table' }))
  const [work, people] = within(charts).getAllByRole('table')
  const cells = (table: HTMLElement | undefined) => [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))
  expect(cells(work)).toEqual([['4', '4', '0', '12'], ['5', '6', '1', '8']])
  expect(cells(people)).toEqual([['9', '10', '1']])
  await person.click(within(charts).getByRole('button', { name: 'Today' }))
  expect(cells(within(charts).getAllByRole('table')[0])).toEqual([['4', '4', '0', '12']])
})

test('a team leader sets a due date, an operator cannot', async () => {
  signInAs(LEADER)
  const { person, calls } = open()
  await person.click(await screen.findByRole('button', { name: 'More actions' }))
  await person.click(screen.getByRole('menuitem', { name: 'Set due date' }))
  const dialog = within(screen.getByRole('dialog', { name: 'Due date' }))
  await person.type(dialog.getByLabelText('Finish by'), '2026-12-24T17:30')
  await person.click(dialog.getByRole('button', { name: 'Save' }))
  await screen.findByText('Prazo salvo: 24/12/2026, 17:30.')
  expect(calls.find(({ name }) => name === 'PUT /campaigns/5')?.body).toEqual({ due_at: '2026-12-24T17:30:00-03:00' })
  endSessionAndKeepData()
  signInAs(OPERATOR)
  open()
  await screen.findAllByText('Airbag', { selector: 'h1' })
  expect(screen.queryByRole('menuitem', { name: 'Set due date' })).toBeNull()
})
