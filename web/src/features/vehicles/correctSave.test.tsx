import '@/testing/indexedDb'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteOutboxEntry, loadOutbox, outboxState } from '@/offline/outbox'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { createReply, stubServer } from '@/testing/server'
import { OPERATOR, renderPage, signInAs, SUPERVISOR } from '@/testing/renderPage'
import VehiclePage from './VehiclePage'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: '', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: 8, modified_by: null, modified_by_hmc: null, modified_at: null, version: 4, open_conflicts: 0,
}
const button = (name: string) => screen.getByRole('button', { name })
const field = () => screen.getByLabelText('Operator / Team Leader Notes')

beforeEach(loadOutbox)
afterEach(async () => {
  for (const { seq } of outboxState.get().entries) await deleteOutboxEntry(seq)
  endSessionAndKeepData()
})

/** Saves vehicle 7 as `ok` and taps the button that corrects the save, or calls `instead`. */
async function correct(user: SessionUser, save: Parameters<typeof stubServer>[0][string], instead?: () => Promise<void>, label = 'Correct this vehicle') {
  signInAs(user)
  await loadOutbox()
  let stored = vehicle
  const calls = stubServer({
    'GET /vehicles/7': () => stored, 'GET /vehicles/8': { ...vehicle, id: 8 }, 'GET /campaigns/5': { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }, 'GET /vehicles/campaign/5/all': [vehicle, { ...vehicle, id: 8, parking_space: 'A-3' }],
    'PUT /vehicles/7': async (call) => {
      const reply = await (typeof save === 'function' ? save(call) : save)
      if (!(reply instanceof Response)) stored = reply as Vehicle
      return reply
    },
  })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  const manual = screen.queryByRole('button', { name: 'Manual' })
  if (manual) await person.click(manual)
  await person.type(screen.getByLabelText('Vehicle identifier'), '0123')
  await person.click(button('ok'))
  await person.type(field(), 'left dor')
  await person.click(button('Save and Go Next'))
  const start = await screen.findByRole('button', { name: label })
  await (instead ? instead() : person.click(start))
  return { person, saves: () => calls.filter(({ name }) => name === 'PUT /vehicles/7') }
}
const savedAs = ({ json: { status, operator_notes } }: { json: Record<string, unknown> }, version: number): Vehicle =>
  ({ ...vehicle, inspected: true, version, ...(status === undefined ? { status: 'ok' } : { status: status as Vehicle['status'] }), operator_notes: String(operator_notes ?? 'left dor') })

test('a correction stops the delay, keeps the identification, and saves again on the new version', async () => {
  let version = 4
  const { person, saves } = await correct(SUPERVISOR, (call) => savedAs(call, ++version))
  expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Select Status' }))
  expect(within(screen.getByRole('form')).getByText('Inspeção já salva. Corrija e salve novamente.')).toBeTruthy()
  expect([button('ok').getAttribute('aria-pressed'), screen.getByLabelText('Vehicle identifier'), field(), button('Save and Go Next')]).toMatchObject(['true', { value: '0123' }, { value: 'left dor' }, { disabled: false }])
  expect(screen.queryByText('O que você digitou e não salvou foi recuperado.')).toBeNull()
  await new Promise((soon) => { setTimeout(soon, 3300) })
  expect(window.location.pathname).toBe('/vehicle/7')
  await person.click(button('ng'))
  await person.click(button('Save and Go Next'))
  await person.click(await screen.findByRole('button', { name: 'Ir agora' }))
  expect(window.location.pathname).toBe('/vehicle/8')
  expect(saves().map(({ headers, json }) => [headers.get('if-match'), json.base, json.status])).toEqual([['"4"', { status: '', operator_notes: '' }, 'ok'], ['"5"', { status: 'ok' }, 'ng']])
  expect(new Set(saves().map(({ headers }) => headers.get('idempotency-key'))).size).toBe(2)
}, 15_000)

test('an operator may correct only the notes of a save that the server has stored', async () => {
  const { person, saves } = await correct(OPERATOR, (call) => savedAs(call, call.headers.get('if-match') === '"4"' ? 5 : 6), undefined, 'Correct the notes')
  expect(document.activeElement).toBe(field())
  expect(screen.getByText('Inspeção já salva como "ok". Corrija as observações; só um supervisor pode escolher qualquer status.')).toBeTruthy()
  await person.clear(field())
  await person.type(field(), 'left door')
  await person.click(button('Save and Exit'))
  await waitFor(() => expect(window.location.pathname).toBe('/campaign/5'))
  expect(saves().map(({ headers, json }) => [headers.get('if-match'), json.base, json.operator_notes])).toEqual([['"4"', { status: '', operator_notes: '' }, 'left dor'], ['"5"', { operator_notes: 'left dor' }, 'left door']])
})

test('a correction of a save that waits on this device replaces the save, with any status, and can be corrected again', async () => {
  const { person } = await correct(OPERATOR, createReply(503, { code: 'UNAVAILABLE', message: '' }))
  const waiting = () => outboxState.get().entries.map(({ version, state, change }) => [version, state, change])
  expect(waiting()).toEqual([[4, 'waiting', { base: { status: '', operator_notes: '' }, wanted: { status: 'ok', operator_notes: 'left dor' } }]])
  expect(button('ok').getAttribute('aria-pressed')).toBe('true')
  for (const status of ['ng', 'Not Found']) {
    await person.click(button(status))
    await person.click(button('Save and Go Next'))
    await screen.findByRole('button', { name: 'Ir agora' })
    expect(waiting()).toEqual([[4, 'waiting', { base: { status: '', operator_notes: '' }, wanted: { status, operator_notes: 'left dor' } }]])
    if (status === 'ng') await person.click(button('Correct this vehicle'))
  }
}, 15_000)

test('the focus on the button stops the delay, and the next vehicle opens only on request', async () => {
  const { person } = await correct(SUPERVISOR, (call) => savedAs(call, 5), async () => {
    button('Correct this vehicle').focus()
    await new Promise((soon) => { setTimeout(soon, 3300) })
  })
  expect(window.location.pathname).toBe('/vehicle/7')
  await person.click(button('Ir agora'))
  expect(window.location.pathname).toBe('/vehicle/8')
}, 15_000)
