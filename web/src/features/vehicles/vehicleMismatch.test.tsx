import '@/testing/indexedDb'
import { IDBObjectStore } from 'fake-indexeddb'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { outboxState, loadOutbox, deleteOutboxEntry } from '@/offline/outbox'
import { endSessionAndKeepData } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { loadServerMessageTranslations } from '@/lib/translateServerMessage'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage } from '@/testing/renderPage'
import VehiclePage from './VehiclePage'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: '', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: null, modified_by: null, modified_by_hmc: null, modified_at: null, version: 4, open_conflicts: 0,
}
const campaign = { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }
const NEW = 'NEW7 000000'
const isAnother = createReply(409, { code: 'OTHER_VEHICLE', message: 'The VIN of this vehicle was changed to NEW7 000000 after you opened it. Check the vehicle and save again.', vin_number: NEW })
/** Responds like a server that has another vehicle under this id. */
const answerOf = ({ json }: { json: Record<string, unknown> }) =>
  json.seen_vin_number === NEW ? { ...vehicle, vin_number: NEW, status: 'ng', inspected: true, version: 9 } : isAnother

beforeAll(loadServerMessageTranslations)
beforeEach(loadOutbox)
afterEach(async () => {
  for (const { seq } of outboxState.get().entries) await deleteOutboxEntry(seq)
  endSessionAndKeepData()
})

/** Saves vehicle 7 as 'ng' with a note. */
async function inspect(save: Parameters<typeof stubServer>[0][string]) {
  signInAs(OPERATOR)
  await loadOutbox()
  const calls = stubServer({ 'GET /vehicles/7': vehicle, 'GET /campaigns/5': campaign, 'GET /vehicles/campaign/5/all': [], 'PUT /vehicles/7': save })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  const manual = screen.queryByRole('button', { name: 'Manual' })
  if (manual) await person.click(manual)
  await person.type(screen.getByLabelText('Vehicle identifier'), '0123')
  await person.click(screen.getByRole('button', { name: 'ng' }))
  await person.type(screen.getByLabelText('Operator / Team Leader Notes'), 'left door')
  await person.click(screen.getByRole('button', { name: 'Save and Exit' }))
  return { person, saves: () => calls.filter(({ name }) => name === 'PUT /vehicles/7').map(({ body }) => body) }
}

/** Saves vehicle 7 and returns the dialog that asks whether the save belongs to the other vehicle. */
async function asked() {
  const { person, saves } = await inspect(answerOf)
  const dialog = within(await screen.findByRole('dialog', { name: 'É este o veículo?' }))
  expect(dialog.getByText('Você inspecionou HB20 000123. O servidor tem NEW7 000000 no lugar dele.')).toBeTruthy()
  return { person, saves, dialog }
}
const states = () => outboxState.get().entries.map(({ vin, state }) => `${vin} ${state}`)
const closed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

test('a save that meets another vehicle asks; confirmed, it is saved to that one and goes on', async () => {
  const { person, saves, dialog } = await asked()
  expect([states(), localStorage.getItem('draft:3:7')]).toEqual([['HB20 000123 refused'], null])
  await person.click(dialog.getByRole('button', { name: 'Yes, save to NEW7 000000' }))
  await waitFor(() => expect(window.location.pathname).toBe('/campaign/5'))
  expect(saves()).toMatchObject([{ seen_vin_number: 'HB20 000123' }, { seen_vin_number: NEW, status: 'ng', operator_notes: 'left door' }])
  await waitFor(() => expect(states()).toEqual(['NEW7 000000 done']))
})

test('discarded after a question, nothing of it is left and nothing is sent', async () => {
  const { person, saves, dialog } = await asked()
  await person.click(dialog.getByRole('button', { name: 'Discard the inspection of HB20 000123' }))
  expect(states()).toEqual(['HB20 000123 refused'])
  await person.click(screen.getByRole('button', { name: 'YES' }))
  await closed()
  expect([states(), saves().length, localStorage.getItem('draft:3:7')]).toEqual([[], 1, null])
  expect(screen.getByLabelText('Operator / Team Leader Notes')).toHaveProperty('value', '')
  expect(await screen.findByText('Inspeção descartada.')).toBeTruthy()
})

test('with neither answer it stays, says why it was not saved, and another save from there takes its place', async () => {
  const { person, saves } = await asked()
  screen.getByRole('dialog').dispatchEvent(new Event('cancel', { cancelable: true }))
  await closed()
  expect(states()).toEqual(['HB20 000123 refused'])
  expect(screen.getByRole('alert').textContent).toContain('O VIN deste veículo foi alterado para NEW7 000000')
  expect(screen.getByLabelText('Operator / Team Leader Notes')).toHaveProperty('value', 'left door')
  await person.click(screen.getByRole('button', { name: 'Save and Exit' }))
  await screen.findByRole('dialog', { name: 'É este o veículo?' })
  expect([saves().length, states()]).toEqual([2, ['HB20 000123 refused']])
})

test('Later leaves the question open: the save stays on the device, and the form is as it was', async () => {
  const { person, saves, dialog } = await asked()
  const order = dialog.getAllByRole('button').map(({ textContent }) => textContent)
  expect(order).toEqual(['Yes, save to NEW7 000000', 'Later', 'Discard'])
  await person.click(dialog.getByRole('button', { name: 'Later' }))
  await closed()
  expect([states(), saves().length, window.location.pathname]).toEqual([['HB20 000123 refused'], 1, '/vehicle/7'])
  expect(screen.getByLabelText('Operator / Team Leader Notes')).toHaveProperty('value', 'left door')
})

test('a vehicle that is gone: the outbox has what was typed, and the screen says so', async () => {
  await inspect(createReply(404, { code: 'NO_VEHICLE', message: 'Vehicle not found. It may have been deleted.' }))
  expect((await screen.findByRole('alert')).textContent).toBe('Não foi salvo. Não encontrado. Talvez tenha sido excluído. O que você digitou está salvo em "Offline".')
  expect(states()).toEqual(['HB20 000123 refused'])
  expect(outboxState.get().entries[0]).toMatchObject({ space: 'A-2', change: { wanted: { status: 'ng', operator_notes: 'left door' } } })
})

test('a phone whose disk is full asks as well, and what was typed stays on the screen', async () => {
  vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  const { person, saves, dialog } = await asked()
  expect([states(), localStorage.getItem('draft:3:7')?.includes('left door'), dialog.queryByText(/fica salva/)]).toEqual([[], true, null])
  await person.click(dialog.getByRole('button', { name: 'Yes, save to NEW7 000000' }))
  await waitFor(() => expect(window.location.pathname).toBe('/campaign/5'))
  expect(saves()).toHaveLength(2)
})

test('what was typed on another identifier says so, and is discarded', async () => {
  const base = { status: '', operator_notes: '', admin_notes: '', vin_number: 'HB20 000123', parking_space: 'A-2' }
  localStorage.setItem('draft:3:7', JSON.stringify({ ...base, base, status: 'ng', identifier: '0123', version: 4 }))
  signInAs(OPERATOR)
  stubServer({ 'GET /vehicles/7': { ...vehicle, vin_number: NEW }, 'GET /campaigns/5': campaign, 'GET /vehicles/campaign/5/all': [] })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  expect(await screen.findByText('Você preencheu os campos para HB20 000123. O servidor tem NEW7 000000 no lugar dele. Confira os valores antes de salvar.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Save and Exit' }).hasAttribute('disabled')).toBe(true)
  await person.click(screen.getByRole('button', { name: 'Discard' }))
  expect([screen.queryByText(/foram preenchidos para/), localStorage.getItem('draft:3:7')]).toEqual([null, null])
})
