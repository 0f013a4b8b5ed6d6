import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { createFake } from '@/testing/createFake'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage, SUPERVISOR } from '@/testing/renderPage'
import VehiclePage from './VehiclePage'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: 'from QC', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: 8, modified_by: 3, modified_by_hmc: '1003', modified_at: '2026-11-21T01:02:03Z', version: 4, open_conflicts: 0,
}
const other = { id: 9, vin_number: 'HB20 000999', parking_space: 'B-4', yard_group: 'B', id_yard: 4, status: '', inspected: false, version: 1 }
const campaign = { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }

afterEach(() => {
  vi.restoreAllMocks()
  endSessionAndKeepData()
})

async function open(user: SessionUser, answers: Parameters<typeof stubServer>[0] = {}, shown: Vehicle = vehicle) {
  signInAs(user)
  const calls = stubServer({ 'GET /vehicles/7': shown, 'GET /vehicles/8': { ...vehicle, id: 8 }, 'GET /campaigns/5': campaign, 'GET /vehicles/campaign/5/all': [other], ...answers })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  const manual = screen.queryByRole('button', { name: 'Manual' })
  if (manual) await person.click(manual)
  const saves = () => calls.filter(({ name }) => name === 'PUT /vehicles/7')
  return { person, saves, identifier: screen.getByLabelText('Vehicle identifier') }
}
const button = (name: string) => screen.getByRole('button', { name })
const disabled = (name: string) => button(name).hasAttribute('disabled')

test('nothing can be saved before the identifier matches, then both ways can', async () => {
  const { person, identifier } = await open(OPERATOR)
  expect([disabled('Save and Go Next'), disabled('Save and Exit')]).toEqual([true, true])
  await person.type(identifier, '0123')
  expect([disabled('Save and Go Next'), disabled('Save and Exit')]).toEqual([false, false])
})

test('the last vehicle can only be saved and left', async () => {
  const { person, identifier } = await open(OPERATOR, {}, { ...vehicle, next: null })
  await person.type(identifier, '0123')
  expect([disabled('Save and Go Next'), disabled('Save and Exit')]).toEqual([true, false])
})

test('a save says what was found, on which version, and goes on when Go now is tapped', async () => {
  const { person, identifier, saves } = await open(OPERATOR, { 'PUT /vehicles/7': { ...vehicle, status: 'ok', inspected: true, version: 5 } })
  await person.type(identifier, '0123')
  await person.click(button('ok'))
  await person.type(screen.getByLabelText('Operator / Team Leader Notes'), 'clean')
  await person.click(button('Save and Go Next'))
  expect(await screen.findByText('O veículo foi inspecionado, redirecionando para o próximo...')).toBeTruthy()
  const go = button('Ir agora')
  expect(document.activeElement).toBe(go)
  await person.click(go)
  expect(window.location.pathname).toBe('/vehicle/8')
  const [save] = saves()
  expect(save?.body).toEqual({
    status: 'ok', operator_notes: 'clean', base: { status: '', operator_notes: '' }, on_conflict: 'ask',
    seen_vin_number: 'HB20 000123', campaign_id: 5, origin: 'typed', device_time: expect.any(String), device: localStorage.getItem('device'),
  })
  expect([save?.headers.get('if-match'), save?.headers.get('idempotency-key')?.length]).toEqual(['"4"', 36])
  expect(localStorage.getItem('draft:3:7')).toBeNull()
})

test('the same save tried again carries the same key, another one another', async () => {
  const { person, identifier, saves } = await open(OPERATOR, { 'PUT /vehicles/7': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  await person.type(identifier, '0123')
  for (const status of ['ok', 'ng']) {
    await person.click(button(status))
    for (const time of [1, 2]) {
      const before = saves().length
      await person.click(button('Save and Exit'))
      await waitFor(() => expect([saves().length, disabled('Save and Exit'), time]).toEqual([before + 1, false, time]))
    }
  }
  const keys = saves().map(({ headers }) => headers.get('idempotency-key'))
  expect([keys[0] === keys[1], keys[2] === keys[3], keys[0] === keys[2]]).toEqual([true, true, false])
  expect(screen.getByRole('alert').textContent).toContain('Não foi salvo.')
})

test('a status out of turn stays unchosen and says why', async () => {
  const { person } = await open(OPERATOR)
  await person.click(button('Repair'))
  expect(screen.getByText('"Repair" só pode ser escolhido depois que o veículo tiver um status.')).toBeTruthy()
  expect(button('Repair').getAttribute('aria-pressed')).toBe('false')
})

test('the identifier of another vehicle says which one and where it stands', async () => {
  const { person, identifier } = await open(OPERATOR)
  await person.type(identifier, '000999')
  const found = await screen.findByRole('link', { name: /HB20 000999/ })
  expect([found.textContent, found.getAttribute('href')]).toEqual(['HB20 000999vaga B-4 · abrir', '/vehicle/9'])
})

test('what was typed is there again after the screen was left without saving', async () => {
  const first = await open(OPERATOR)
  await first.person.type(first.identifier, '0123')
  await first.person.type(screen.getByLabelText('Operator / Team Leader Notes'), 'half a sen')
  cleanup()
  const again = await open(OPERATOR)
  expect(again.identifier).toHaveProperty('value', '0123')
  expect(screen.getByLabelText('Operator / Team Leader Notes')).toHaveProperty('value', 'half a sen')
  await again.person.click(button('Discard'))
  expect([localStorage.getItem('draft:3:7'), again.identifier.getAttribute('value')]).toEqual([null, ''])
})

test('somebody who saved first is shown beside one\'s own entry, and one\'s own can still be saved', async () => {
  const current: Vehicle = { ...vehicle, status: 'ng', version: 5, modified_by_hmc: '1077' }
  const replies = [createReply(409, { code: 'STALE_VERSION', message: 'old', details: [current] }), createReply(200, { ...current, status: 'ok', version: 6 })]
  const { person, identifier, saves } = await open(SUPERVISOR, { 'PUT /vehicles/7': () => replies.shift() ?? createReply(500) })
  await person.type(identifier, '0123')
  await person.click(button('ok'))
  await person.type(screen.getByLabelText('Operator / Team Leader Notes'), 'left door')
  await person.click(button('Save and Exit'))
  const dialog = within(await screen.findByRole('dialog', { hidden: true }))
  expect(dialog.getByText(/Salvo por 1077/)).toBeTruthy()
  expect(dialog.getAllByRole('row', { hidden: true }).map(({ textContent }) => textContent)).toEqual(['FieldYour versionTheir version', 'Statusokng', 'Operator noteleft doorempty'])
  await person.click(dialog.getByRole('button', { name: 'Keep yours', hidden: true }))
  await waitFor(() => expect(window.location.pathname).toBe('/campaign/5'))
  expect(saves().map(({ headers }) => headers.get('if-match'))).toEqual(['"4"', '"5"'])
})

test('only a supervisor edits VIN, parking space and the supervisor notes', async () => {
  await open(OPERATOR)
  expect(screen.queryByRole('button', { name: /^Edit/ })).toBeNull()
  expect(screen.queryByLabelText('QC / Supervisor Notes')).toBeNull()
  expect(screen.getByText('QC / Supervisor Notes').nextElementSibling?.textContent).toBe('from QC')
})

test('a supervisor edits the parking space in place: Enter keeps it, Escape does not', async () => {
  const { person, identifier, saves } = await open(SUPERVISOR, { 'PUT /vehicles/7': { ...vehicle, version: 5 } })
  await person.click(button('Edit Parking Space: A-2'))
  await person.type(screen.getByLabelText('Parking Space'), '{Control>}a{/Control}X-9{Escape}')
  await person.click(button('Edit Parking Space: A-2'))
  await person.clear(screen.getByLabelText('Parking Space'))
  await person.type(screen.getByLabelText('Parking Space'), 'B-7{Enter}')
  await person.type(identifier, '0123')
  await person.click(button('Save and Exit'))
  expect(saves()).toEqual([])
  await person.click(button('YES'))
  await waitFor(() => expect(saves()[0]?.body).toMatchObject({ parking_space: 'B-7' }))
})

test('the last change is shown at UTC-3', async () => {
  await open(OPERATOR)
  expect(screen.getByText('Última modificação pelo ID: 3 - 1003, em 20/11/2026 às 22:02:03 (UTC-3).')).toBeTruthy()
})

/** Types like a hardware scanner, one key every five milliseconds. */
function gun(text: string) {
  for (const [index, key] of [...text, 'Enter'].entries()) {
    const press = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    Object.defineProperty(press, 'timeStamp', { value: 60_000 + index * 5 })
    act(() => void (document.activeElement ?? document.body).dispatchEvent(press))
  }
}

test('what a hardware scanner types is saved as scanned, and what the label says beyond the identifier is left out', async () => {
  const { person, identifier, saves } = await open(OPERATOR, { 'PUT /vehicles/7': { ...vehicle, status: 'ok', version: 5 } })
  gun('BAY-HB20000123')
  expect(identifier).toHaveProperty('value', 'HB20 000123')
  await person.click(button('ok'))
  await person.click(button('Save and Exit'))
  await waitFor(() => expect(saves()[0]?.body).toMatchObject({ origin: 'scanned', status: 'ok' }))
})

test('a scanned VIN of no campaign gets the hint of its check digit, a right one does not', async () => {
  await open(OPERATOR, { 'GET /campaigns': { campaigns: [], meta: { page_index: 0, total_count: 0, per_page: 30, yard_name: null } } })
  gun('9BWZZZ377VT004251')
  expect(await screen.findByText(/O dígito verificador do VIN não confere/)).toBeTruthy()
  expect(await screen.findByText('Não encontrado em nenhuma outra campanha aberta.')).toBeTruthy()
  gun('1M8GDM9AXKP042788')
  await waitFor(() => expect(screen.queryByText(/O dígito verificador/)).toBeNull())
})

const step = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) })
const isOpen = (name: string) => step(name).getAttribute('aria-expanded')
const onPhone = () => vi.spyOn(window, 'matchMedia').mockReturnValue(createFake<MediaQueryList>({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))

test('once the typed text fits only this vehicle, a pause folds the steps and leads to the statuses', async () => {
  onPhone()
  const { person, identifier } = await open(OPERATOR, { 'GET /vehicles/campaign/5/all': [other, { ...other, id: 7, vin_number: vehicle.vin_number }] })
  await person.type(identifier, '0001')
  expect(isOpen('Validate Inspection')).toBe('true')
  expect(screen.queryByRole('button', { name: 'Scan again' })).toBeNull()
  await waitFor(() => expect(isOpen('Validate Inspection')).toBe('false'), { timeout: 2000 })
  expect(isOpen('Review Vehicle Details')).toBe('false')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Select Status' })))
  await person.click(step('Validate Inspection'))
  expect(button('Scan again')).toBeTruthy()
  await person.clear(identifier)
  await person.type(identifier, '0') // fits this vehicle as well, and typing goes on
  expect([isOpen('Validate Inspection'), isOpen('Review Vehicle Details')]).toEqual(['true', 'true'])
})

test('while several vehicles fit, only leaving the field or choosing a status folds the steps', async () => {
  onPhone()
  const { person, identifier } = await open(OPERATOR, { 'GET /vehicles/campaign/5/all': [other, { ...other, id: 7, vin_number: vehicle.vin_number }] })
  await person.type(identifier, '0')
  await new Promise((soon) => { setTimeout(soon, 800) })
  expect(isOpen('Validate Inspection')).toBe('true')
  await person.tab()
  await waitFor(() => expect(isOpen('Validate Inspection')).toBe('false'))
  await person.click(step('Validate Inspection'))
  await person.click(button('ng'))
  await waitFor(() => expect(isOpen('Validate Inspection')).toBe('false'))
})

test('a stored status has no tick before the vehicle is identified', async () => {
  const { person, identifier } = await open(SUPERVISOR, {}, { ...vehicle, status: 'ok', inspected: true })
  const tick = () => screen.getByRole('heading', { name: /^3? ?Select Status/ }).textContent
  expect(tick()).toBe('3Select Status')
  await person.type(identifier, '0123')
  expect(tick()).toBe('Select Status (done)')
})

test('the history of the saved vehicle does not stand below the next one', async () => {
  const { person, identifier } = await open(OPERATOR, { 'PUT /vehicles/7': { ...vehicle, status: 'ok', inspected: true, version: 5 } })
  expect(screen.getByRole('region', { name: 'History' })).toBeTruthy()
  await person.type(identifier, '0123')
  await person.click(button('ok'))
  await person.click(button('Save and Go Next'))
  await screen.findByText('O veículo foi inspecionado, redirecionando para o próximo...')
  expect(screen.queryByRole('region', { name: 'History' })).toBeNull()
})

test('notes of an earlier inspection are shown above the statuses, and only these', async () => {
  await open(OPERATOR, {}, { ...vehicle, operator_notes: 'left door' })
  const lines = () => screen.queryAllByText(/^(Operator|Supervisor) note:/).map(({ parentElement }) => parentElement?.textContent)
  expect(lines()).toEqual(['Operator note: left door', 'Supervisor note: from QC'])
  cleanup()
  await open(OPERATOR, {}, { ...vehicle, operator_notes: '', admin_notes: ' ' })
  expect(lines()).toEqual([])
})
