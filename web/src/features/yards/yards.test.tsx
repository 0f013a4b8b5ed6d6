import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { holdInspections } from '@/testing/pendingSaves'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage } from '@/testing/renderPage'
import YardPickerPage from './YardPickerPage'

const yard = (id: number, name: string, vehicles_inspected_count: number, vehicles_count: number) => ({ id, name, vehicles_count, vehicles_inspected_count })
const campaign = { id: 5, name: 'Airbag', status: 'Ongoing', total_vehicles: 9, total_inspected: 3, allClosed: false, created_by_name: '1002', created_at: '2026-11-20T12:00:00Z' }
const meta = (total_count: number) => ({ page_index: 0, total_count, per_page: 10 })

afterEach(endSessionAndKeepData)

function open(address = '/yard') {
  signInAs(OPERATOR)
  const yards = [yard(2, 'A', 2, 2), yard(4, 'B', 1, 1241), yard(11, 'C', 0, 0), yard(9, 'D', 0, 0)]
  stubServer({
    'GET /yards': { yards, meta: meta(4) },
    'GET /campaigns': { campaigns: [campaign], meta: meta(1) },
    'GET /pace': [{ campaign_id: 5, per_hour: 20, remaining: 6, people: [{ hmc: '1007', yard_id: 4, yard_name: 'B', last_at: '2026-11-20T12:00:00Z', per_hour: 20, saves: 5 }] }],
  })
  return renderPage(YardPickerPage, '/yard', address)
}
const fold = () => screen.getByText('2 yards without vehicles').closest('details')

test('a tile says what is left and who is there, a finished one that it is done, and those without vehicles are folded', async () => {
  open()
  await screen.findByText('Here now: HMC 1007')
  const [first, second] = screen.getAllByText('Vehicles for Inspection').map((words) => words.closest('li'))
  expect(first?.textContent).toBe('Yard B1/1\u202f241Vehicles for Inspection1\u202f240 leftHere now: HMC 1007HMC 1007')
  expect(second?.textContent).toBe('Yard A2/2Vehicles for Inspectiondone')
  expect(fold()?.open).toBe(false)
  expect(fold()?.textContent).toContain('Yard C0/0Vehicles for InspectionYard D')
})

test('a search shows the yards without vehicles as well', async () => {
  const person = open()
  await screen.findByText('Yard B')
  await person.type(screen.getByRole('searchbox'), 'c')
  expect(screen.getByText('1 yard without vehicles').closest('details')?.open).toBe(true)
  expect(screen.queryByText('Yard B')).toBeNull()
})

test('a tile counts the saves of this device that are not sent yet', async () => {
  open()
  await screen.findByText('Here now: HMC 1007')
  holdInspections({ campaign: 5, yard: 4 }, { campaign: 6, yard: 4 })
  expect(screen.getByText('Yard B').closest('li')?.textContent).toContain('3/1\u202f241Vehicles for Inspection1\u202f238 left')
})

/** Opens the yards of a chosen campaign. Returns the received calls and a function that answers the request for the campaigns. */
function openChosen() {
  signInAs(OPERATOR)
  let answer: (response: Response) => void = () => undefined
  const campaigns = new Promise<Response>((resolve) => { answer = resolve })
  const calls = stubServer({
    'GET /yards': { yards: [yard(2, 'A', 2, 2)], meta: meta(1) },
    'GET /campaigns': () => campaigns,
    'GET /yards/vehicle-counts': [{ yard_id: 2, yard_name: 'A', total_vehicles: 9, inspected_vehicles: 3 }],
    'GET /pace': [],
  })
  renderPage(YardPickerPage, '/yard', '/yard?campaign=5')
  return { names: () => calls.map(({ name }) => name), answer }
}

test('the yards of a chosen campaign are shown once the campaign is known', async () => {
  const { names, answer } = openChosen()
  await waitFor(() => expect(names()).toContain('GET /campaigns'))
  expect(screen.queryByText('Yard A')).toBeNull()
  answer(createReply(200, { campaigns: [campaign], meta: meta(1) }))
  expect((await screen.findByText('Yard A')).closest('li')?.textContent).toContain('3/9')
  expect(names()).not.toContain('GET /yards')
})

test('an error instead of the yards of all campaigns is shown when the chosen campaign cannot be loaded', async () => {
  const { names, answer } = openChosen()
  answer(createReply(400, { code: 'BAD_REQUEST', message: 'no campaigns' }))
  await screen.findByRole('alert')
  expect(screen.queryByText('Yard A')).toBeNull()
  expect(names()).not.toContain('GET /yards')
})

test('the yards of a closed campaign show no people', async () => {
  const { names, answer } = openChosen()
  answer(createReply(200, { campaigns: [{ ...campaign, status: 'Closed' }], meta: meta(1) }))
  await screen.findByText('Yard A')
  expect(names()).not.toContain('GET /pace')
})
