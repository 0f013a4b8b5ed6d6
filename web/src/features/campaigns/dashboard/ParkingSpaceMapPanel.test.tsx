import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Campaign } from '@/api/types'
import { stubServer } from '@/testing/server'
import { LEADER, renderPage, signInAs } from '@/testing/renderPage'
import CampaignPage from '../CampaignPage'
import { ROW_LABEL_WIDTH_PX } from './parkingSpaceGrid'

const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 7, total_inspected: 6, allClosed: false, progress_unknown: false,
}
const STATUSES = ['ok', 'Not Found', 'Not Found', 'Not Found', 'Not Found', '']
const vehicles = [
  ...STATUSES.map((status, n) => ({ id: 11 + n, vin_number: `HB20 00000${n}`, parking_space: `B-${41 + n}`, status, inspected: status !== '', id_yard: 2, version: 1 })),
  { id: 20, vin_number: 'HB20 000009', parking_space: 'C-1', status: 'ng', inspected: true, id_yard: 3, version: 1 },
]
const yards = [{ yard_id: 2, yard_name: 'B', total_vehicles: 6, inspected_vehicles: 5 }, { yard_id: 3, yard_name: 'C', total_vehicles: 1, inspected_vehicles: 1 }]

afterEach(() => {
  endSessionAndKeepData()
  vi.restoreAllMocks()
})

function open(total = 7, status: Campaign['status'] = 'Ongoing') {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => Object.assign(new EventTarget(), { matches: query.includes('min-width'), media: query, onchange: null, addListener: () => undefined, removeListener: () => undefined }))
  signInAs(LEADER)
  const calls = stubServer({ 'GET /campaigns/5': { ...campaign, status, total_vehicles: total }, 'GET /yards/vehicle-counts': yards, 'GET /vehicles/campaign/5/all': vehicles })
  return { calls, person: renderPage(CampaignPage, '/campaign/:id', '/campaign/5') }
}

test('the spaces of a yard are drawn in walking order, and a click opens the vehicle', async () => {
  const { person } = open()
  const panel = await screen.findByRole('region', { name: 'Yard B, space by space' })
  const map = await within(panel).findByRole('img', { name: '6 veículos em ordem de caminhada, 1 não inspecionado, Not Found 4' })
  within(panel).getByText('Next: B-46 · HB20 000005 · Not inspected')
  fireEvent.pointerMove(map, { clientX: ROW_LABEL_WIDTH_PX + 21 + 5, clientY: 5 })
  within(panel).getByText('B-42 · HB20 000001 · Not Found')
  await person.click(within(panel).getByRole('button', { name: 'C' }))
  await screen.findByRole('img', { name: '1 veículo em ordem de caminhada, 0 não inspecionados, ng 1' })
  screen.getByText('Todos os veículos deste pátio foram inspecionados.')
  fireEvent.pointerUp(screen.getByRole('img', { name: /^1 veículo / }), { clientX: ROW_LABEL_WIDTH_PX + 5, clientY: 5 })
  expect(window.location.pathname).toBe('/vehicle/20')
})

test('vehicles that were not found side by side need attention', async () => {
  open()
  const link = await screen.findByRole('link', { name: '4 neighbouring vehicles not found, B-42 to B-45' })
  expect(link.getAttribute('href')).toBe('/campaign/5/vehicles?status=Not+Found')
})

test('the vehicles of a large campaign are loaded on request', async () => {
  const { person, calls } = open(100_000)
  const asked = () => calls.filter(({ name }) => name.endsWith('/all')).length
  const show = await screen.findByRole('button', { name: 'Show the parking spaces' })
  expect(asked()).toBe(0)
  await person.click(show)
  await screen.findByRole('img', { name: /^6 veículos/ })
  expect(asked()).toBe(1)
})

test('the map of a closed campaign marks no next vehicle', async () => {
  open(7, 'Closed')
  expect(await screen.findByText('6 veículos em ordem de caminhada, 1 não inspecionado')).toBeDefined()
  expect(screen.queryByText(/^Next: /)).toBeNull()
})
