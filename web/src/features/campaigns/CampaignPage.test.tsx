import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Campaign } from '@/api/types'
import { recordSavedFiles } from '@/testing/savedFiles'
import { holdInspections } from '@/testing/pendingSaves'
import { createFake } from '@/testing/createFake'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, LEADER, OPERATOR, renderPage } from '@/testing/renderPage'
import { CampaignTable } from '@/ui/CampaignTable'
import CampaignPage from './CampaignPage'

const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 40, total_inspected: 3, allClosed: false, progress_unknown: false,
}
const REPORT = 'GET /campaigns/5/generate_campaign_vehicle_report'

const saved = recordSavedFiles()
afterEach(endSessionAndKeepData)

function open(user: SessionUser, report: Parameters<typeof stubServer>[0][string] = {}) {
  signInAs(user)
  const calls = stubServer({ 'GET /campaigns/5': campaign, 'GET /yards/vehicle-counts': [], [REPORT]: report })
  return { person: renderPage(CampaignPage, '/campaign/:id', '/campaign/5'), calls }
}
const exporting = () => screen.findByRole('button', { name: 'Export Vehicles List Data' })

test('a team leader exports the vehicles under the name that the server gives', async () => {
  const { person } = open(LEADER, new Response('PK', { headers: { 'content-disposition': 'attachment; filename="report_Airbag-1.xlsx"' } }))
  await person.click(await exporting())
  await waitFor(() => expect(saved).toEqual(['report_Airbag-1.xlsx']))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a failed export says why beside the button, which can be tried again', async () => {
  const { person } = open(LEADER, createReply(503, { code: 'UNAVAILABLE', message: '' }))
  await person.click(await exporting())
  expect((await screen.findByRole('alert')).textContent).toContain('Tente novamente')
  expect(await exporting()).toHaveProperty('disabled', false)
})

test('an operator exports nothing', async () => {
  open(OPERATOR)
  await screen.findByText('Airbag', { selector: 'h1' })
  expect(screen.queryByRole('button', { name: 'Export Vehicles List Data' })).toBeNull()
})

test('a request that hangs is sent again by Try again', async () => {
  signInAs(LEADER)
  let isHanging = true
  const calls = stubServer({ 'GET /campaigns/5': () => (isHanging ? new Promise<never>(() => {}) : campaign), 'GET /yards/vehicle-counts': [] })
  const person = renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  const again = await screen.findByRole('button', { name: 'Try again' })
  isHanging = false
  await person.click(again)
  await screen.findByText('Airbag', { selector: 'h1' })
  expect(calls.filter(({ name }) => name === 'GET /campaigns/5')).toHaveLength(2)
})

test('a campaign that does not exist leads home instead of to another try', async () => {
  signInAs(LEADER)
  stubServer({ 'GET /campaigns/5': createReply(404, { code: 'NO_CAMPAIGN', message: '' }), 'GET /yards/vehicle-counts': [] })
  renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  const notice = await screen.findByRole('alert')
  expect(within(notice).getByRole('link').getAttribute('href')).toBe('/campaign-home')
  expect(within(notice).queryByRole('button')).toBeNull()
})

const unknown: Campaign = { ...campaign, total_vehicles: 0, total_inspected: 0, progress_unknown: true }

test.each<Campaign['status']>(['Ongoing', 'Closed'])('a campaign (%s) whose progress is unavailable is neither empty nor completed', async (status) => {
  signInAs(LEADER)
  stubServer({ 'GET /campaigns/5': { ...unknown, status }, 'GET /yards/vehicle-counts': [] })
  renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  await screen.findByText('Progress unavailable')
  for (const words of [/completed/i, /0 \/ 0/, /Não há veículos/, /vehicles inspected/]) expect(screen.queryByText(words)).toBeNull()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('a list shows that the progress of a campaign is unavailable', () => {
  renderPage(() => <CampaignTable campaigns={[{ ...unknown, allClosed: true }]} hrefOf={() => '/campaign/5'} />, '/campaign-home', '/campaign-home')
  expect(screen.getByText('Progress unavailable')).toBeDefined()
  expect(screen.queryByRole('progressbar')).toBeNull()
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe('Campaign in progress')
})

test.each([['Ongoing', true], ['Closed', false]] as const)('a campaign (%s) shows its pace, its end, its people and its download while it is open', async (status, isOpen) => {
  signInAs(LEADER)
  const at = new Date().toISOString()
  stubServer({
    'GET /campaigns/5': { ...campaign, status, due_at: '2027-11-20T12:00:00Z' },
    'GET /yards/vehicle-counts': [{ yard_id: 2, yard_name: 'A', total_vehicles: 40, inspected_vehicles: 3 }],
    'GET /campaigns/5/activity': { hours: [{ at, inspected: 3, saves: 3, found_wrong: 0 }], yards: [], people: [], total: 40, inspected: 3, inspected_before: 0 },
    'GET /campaigns/5/pace': { campaign_id: 5, per_hour: 72, remaining: 37, finish_at: null, people: [{ hmc: '1007', yard_id: 2, yard_name: 'A', last_at: at, per_hour: 72, saves: 5 }] },
  })
  const person = renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  await screen.findByText(/^3 de 40 inspecionados/)
  await screen.findByText(isOpen ? '1 pessoa agora' : 'Closed, 37 of 40 not inspected')
  await person.click(screen.getByRole('button', { name: 'More actions' }))
  const shown = ['Per hour now', 'Done about', 'Working now', 'Make available offline', /ritmo/, /É necessário/].map((words) => screen.queryAllByText(words).length > 0)
  expect(shown).toEqual(shown.map(() => isOpen))
})

test('the yards of a campaign count the saves of this device that are not sent yet', async () => {
  signInAs(OPERATOR)
  stubServer({ 'GET /campaigns/5': campaign, 'GET /yards/vehicle-counts': [{ yard_id: 2, yard_name: 'A', total_vehicles: 40, inspected_vehicles: 3 }] })
  holdInspections({ campaign: 5, yard: 2 }, { campaign: 6, yard: 2 })
  renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  await screen.findByRole('link', { name: 'Yard A: 4 of 40 inspected' })
  expect(screen.getByText('4 / 40')).toBeDefined()
})

test('the chosen yard is a chip that leads back to the whole campaign', async () => {
  signInAs(OPERATOR)
  stubServer({ 'GET /campaigns/5': { ...campaign, yard_name: 'B' }, 'GET /yards/vehicle-counts': [] })
  renderPage(CampaignPage, '/campaign/:id', '/campaign/5?yard=4')
  const chip = await screen.findByRole('link', { name: 'Yard B: show the whole campaign' })
  expect(chip.getAttribute('href')).toBe('/campaign/5')
  expect(chip.textContent).toBe('Yard B')
})

test('the progress of a campaign states which part of its vehicles has a status', async () => {
  signInAs(OPERATOR)
  const statuses = [{ status: 'ok', vehicles: 3 }, { status: 'Repair', vehicles: 2 }]
  const yard = { yard_id: 2, yard_name: 'A', inspected: 0, saves: 0, found_wrong: 0, total_vehicles: 40, total_inspected: 3, statuses }
  stubServer({ 'GET /campaigns/5': campaign, 'GET /yards/vehicle-counts': [], 'GET /campaigns/5/activity': { hours: [], people: [], total: 40, inspected: 3, inspected_before: 0, yards: [yard] } })
  renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  expect(await screen.findByText('13% com status')).toBeDefined()
})

test.each([[20, 19_980, '<1% com status', '>99% do total'], [19_980, 20, '>99% com status', '<1% do total']])('%i vehicles with a status of 20000 are neither none nor all', async (inspected, left, withStatus, ofAll) => {
  signInAs(OPERATOR)
  const total = inspected + left
  const yard = { yard_id: 2, yard_name: 'A', inspected, saves: 0, found_wrong: 0, total_vehicles: total, total_inspected: inspected, statuses: [{ status: 'ok', vehicles: inspected }] }
  const all = { ...campaign, total_vehicles: total, total_inspected: inspected }
  stubServer({ 'GET /campaigns/5': all, 'GET /yards/vehicle-counts': [], 'GET /campaigns/5/activity': { hours: [], people: [], total, inspected, inspected_before: 0, yards: [yard] } })
  renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  expect(await screen.findByText(withStatus)).toBeDefined()
  expect(screen.getByText(ofAll)).toBeDefined()
})

test('on a phone, the charts and the people are collapsed to their figures, and this device remembers what was opened', async () => {
  vi.spyOn(window, 'matchMedia').mockReturnValue(createFake<MediaQueryList>({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))
  signInAs(LEADER)
  const at = new Date().toISOString()
  const people = [{ hmc: '1007', yard_id: 2, yard_name: 'A', last_at: at, per_hour: 72, saves: 5 }]
  const replies = {
    'GET /campaigns/5': campaign, 'GET /yards/vehicle-counts': [], 'GET /campaigns/5/pace': { campaign_id: 5, per_hour: 72, remaining: 37, finish_at: null, people },
    'GET /campaigns/5/activity': { hours: [{ at, inspected: 3, saves: 3, found_wrong: 0 }], yards: [], people: [], total: 40, inspected: 3, inspected_before: 0 },
  }
  stubServer(replies)
  const person = renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  await screen.findByText('1 pessoa agora · 72 por hora')
  await screen.findByText('3 inspected')
  expect([...document.querySelectorAll('summary')].map(({ textContent }) => textContent)).toEqual(['Progress over time8%', 'Per hour, today3 inspected', 'Working now1 pessoa agora · 72 por hora'])
  expect(screen.queryByRole('img', { name: /no total$/ })).toBeNull()
  expect(screen.queryByText('1007')).toBeNull()
  await person.click(screen.getByText('Working now'))
  await screen.findByText('1007')
  cleanup()
  renderPage(CampaignPage, '/campaign/:id', '/campaign/5')
  await screen.findByText('1007')
  expect(screen.queryByRole('img', { name: /no total$/ })).toBeNull()
  await person.click(screen.getByText('Per hour, today'))
  expect(await screen.findByRole('img', { name: /no total$/ })).toBeDefined()
  await person.click(screen.getByText('Working now', { selector: 'summary *' }))
  await waitFor(() => expect(screen.queryByText('1007')).toBeNull())
})
