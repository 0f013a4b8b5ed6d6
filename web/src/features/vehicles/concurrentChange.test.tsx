import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { createTestQueryClient, OPERATOR, renderPage, signInAs, SUPERVISOR } from '@/testing/renderPage'
import { createReply, stubServer } from '@/testing/server'
import VehiclePage from './VehiclePage'
import { WalkInspectionSheet } from './WalkInspectionSheet'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: '', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: null, modified_by: null, modified_by_hmc: null, modified_at: null, version: 4, open_conflicts: 0,
}
const theirs: Vehicle = { ...vehicle, status: 'ok', operator_notes: 'seen', inspected: true, modified_by: 9, modified_by_hmc: '1077', modified_at: '2026-11-21T01:02:03Z', version: 5 }
const ASKS = 'O app vai perguntar ao salvar.'
const SAVED = '1077 acabou de salvar OK.'
const DONE = 'Confere, mas este veículo já foi inspecionado.'

afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  endSessionAndKeepData()
})

const button = (name: string) => screen.getByRole('button', { name })
const offered = () => ['ok', 'ng', 'Not Found', 'Repair'].filter((name) => screen.queryByRole('button', { name })?.getAttribute('aria-disabled') === 'false')

/** Opens the vehicle as `user`. The returned `change` lets another person save the vehicle, as the live stream reports it. */
function serve(user: SessionUser, first = vehicle) {
  signInAs(user)
  let stored = first
  const calls = stubServer({
    'GET /vehicles/7': () => stored, 'GET /campaigns/5': { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }, 'GET /vehicles/campaign/5/all': [],
    'PUT /vehicles/7': () => createReply(409, { code: 'STALE_VERSION', message: 'old', details: [stored] }),
  })
  const queries = createTestQueryClient()
  const change = async (next: Vehicle) => {
    stored = next
    await act(() => queries.invalidateQueries())
  }
  return { queries, change, saves: () => calls.filter(({ name }) => name === 'PUT /vehicles/7') }
}
async function open(user: SessionUser, first = vehicle) {
  const served = serve(user, first)
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7', served.queries)
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  const manual = screen.queryByRole('button', { name: 'Manual' })
  if (manual) await person.click(manual)
  const identifier = screen.getByLabelText('Vehicle identifier')
  if (identifier.getAttribute('value') === '') await person.type(identifier, '0123')
  return { person, ...served }
}
/** Opens the vehicle in the sheet of walk mode. */
function openSheet() {
  const served = serve(OPERATOR)
  const listed = { id: 7, vin_number: 'HB20 000123', parking_space: 'A-2', id_yard: 2, yard_group: 'A', status: '' as const, inspected: false, version: 4 }
  return { person: renderPage(() => <WalkInspectionSheet campaign={5} listed={listed} yard={null} scanned oneTap={false} onSaved={() => undefined} onClose={() => undefined} />, '/', '/', served.queries), ...served }
}
/** Stores a draft of the operator that sets the vehicle to ng. */
function storeDraft() {
  const base = { status: '', operator_notes: '', admin_notes: '', vin_number: vehicle.vin_number, parking_space: 'A-2' }
  localStorage.setItem('draft:3:7', JSON.stringify({ ...base, status: 'ng', identifier: '0123', version: 4, base }))
}

test('a save of another person keeps the chosen status on screen, and one line says that the save will ask', async () => {
  const { person, change, saves } = await open(OPERATOR)
  await person.click(button('ng'))
  await change(theirs)
  expect(await screen.findByText(`${SAVED} ${ASKS}`)).toBeTruthy()
  expect([offered(), button('ng').getAttribute('aria-pressed')]).toEqual([['ok', 'ng', 'Not Found'], 'true'])
  expect([screen.queryByText(DONE), screen.queryByText('Operator note:')]).toEqual([null, null])
  await person.click(button('Save and Exit'))
  expect(await screen.findByRole('dialog', { hidden: true })).toBeTruthy()
  expect(saves().map(({ json }) => [json.base, json.status])).toEqual([[{ status: '' }, 'ng']])
})

test('without a choice of one\'s own, the saved status counts at once, and so it does when the choice is taken back', async () => {
  const { person, change } = await open(OPERATOR)
  await person.click(button('ng'))
  await change(theirs)
  await screen.findByText(`${SAVED} ${ASKS}`)
  await new Promise((soon) => { setTimeout(soon, 350) }) // a faster second tap counts as a bounce
  await person.click(button('ng'))
  await waitFor(() => expect(offered()).toEqual(['Repair']))
  expect(screen.queryByText(SAVED, { exact: false })).toBeNull()
})

test('the same status by both people asks nothing', async () => {
  const { person, change } = await open(OPERATOR)
  await person.click(button('ok'))
  await change({ ...theirs, operator_notes: '' })
  expect((await screen.findByText(SAVED, { exact: false })).textContent).toBe(SAVED)
})

test('notes of both people ask as well, also of a supervisor, who sees the stored status as current', async () => {
  const { person, change } = await open(SUPERVISOR)
  await person.type(screen.getByLabelText('Operator / Team Leader Notes'), 'left door')
  await change(theirs)
  expect(await screen.findByText(`1077 alterou as observações nesse meio-tempo. ${ASKS}`)).toBeTruthy()
  expect([button('ok').getAttribute('aria-current'), screen.getByLabelText('Operator / Team Leader Notes')]).toMatchObject(['true', { value: 'left door' }])
})

test('a restored draft does not claim that the other save was just now', async () => {
  storeDraft()
  await open(OPERATOR, theirs)
  expect(screen.getByText(`1077 salvou OK nesse meio-tempo. ${ASKS}`)).toBeTruthy()
  expect([offered(), button('ng').getAttribute('aria-pressed')]).toEqual([['ok', 'ng', 'Not Found'], 'true'])
})

test('the sheet of walk mode keeps the chosen status as well', async () => {
  const { person, change } = openSheet()
  await person.click(await screen.findByRole('button', { name: 'ng' }))
  await change(theirs)
  expect(await screen.findByText(`${SAVED} ${ASKS}`)).toBeTruthy()
  expect([offered(), button('ng').getAttribute('aria-pressed')]).toEqual([['ok', 'ng', 'Not Found'], 'true'])
})

test('the sheet of walk mode says that a status is restored, and can discard it', async () => {
  storeDraft()
  const { person } = openSheet()
  await person.click(await screen.findByRole('button', { name: 'Discard' }))
  expect([button('ng').getAttribute('aria-pressed'), screen.queryByRole('button', { name: 'Discard' })]).toEqual(['false', null])
})
