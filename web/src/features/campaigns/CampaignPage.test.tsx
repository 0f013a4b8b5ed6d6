import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSession, type User } from '@/api/session'
import type { Campaign } from '@/api/types'
import { savedFiles } from '@/testing/saved'
import { reply, serve } from '@/testing/server'
import { asUser, LEADER, OPERATOR, show } from '@/testing/show'
import CampaignPage from './CampaignPage'

const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 40, total_inspected: 3, allClosed: false,
}
const REPORT = 'GET /campaigns/5/generate_campaign_vehicle_report'

const saved = savedFiles()
afterEach(endSession)

function open(user: User, report: Parameters<typeof serve>[0][string] = {}) {
  asUser(user)
  const calls = serve({ 'GET /campaigns/5': campaign, 'GET /yards/vehicle-counts': [], [REPORT]: report })
  return { person: show(CampaignPage, '/campaign/:id', '/campaign/5'), calls }
}
const exporting = () => screen.findByRole('button', { name: 'Export Vehicles List Data' })

test('a team leader exports the vehicles under the name that the server gives', async () => {
  const { person } = open(LEADER, new Response('PK', { headers: { 'content-disposition': 'attachment; filename="report_Airbag-1.xlsx"' } }))
  await person.click(await exporting())
  await waitFor(() => expect(saved).toEqual(['report_Airbag-1.xlsx']))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a failed export says why beside the button, which can be tried again', async () => {
  const { person } = open(LEADER, reply(503, { code: 'UNAVAILABLE', message: '' }))
  await person.click(await exporting())
  expect((await screen.findByRole('alert')).textContent).toContain('Tente novamente')
  expect(await exporting()).toHaveProperty('disabled', false)
})

test('an operator exports nothing', async () => {
  open(OPERATOR)
  await screen.findByText('Airbag', { selector: 'h2' })
  expect(screen.queryByRole('button', { name: 'Export Vehicles List Data' })).toBeNull()
})
