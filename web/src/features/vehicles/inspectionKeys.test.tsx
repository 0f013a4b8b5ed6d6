import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { setShortcutsEnabled } from '@/lib/keyboardShortcuts'
import { listKeyboardHelpEntries } from '@/lib/keyboardHelp'
import { createFake } from '@/testing/createFake'
import { OPERATOR, renderPage, signInAs, SUPERVISOR } from '@/testing/renderPage'
import { stubServer } from '@/testing/server'
import VehiclePage from './VehiclePage'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: '', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: 8, modified_by: null, modified_by_hmc: null, modified_at: null, version: 4, open_conflicts: 0,
}
afterEach(() => {
  vi.restoreAllMocks()
  endSessionAndKeepData()
  setShortcutsEnabled(true)
})

async function open(user: SessionUser, isDesk = true) {
  vi.spyOn(window, 'matchMedia').mockImplementation(() => createFake<MediaQueryList>({ matches: isDesk, addEventListener: () => undefined, removeEventListener: () => undefined }))
  signInAs(user)
  const calls = stubServer({ 'GET /vehicles/7': vehicle, 'GET /vehicles/8': { ...vehicle, id: 8 }, 'GET /campaigns/5': { id: 5, name: 'Airbag', part: '', description: '', status: 'Ongoing' }, 'GET /vehicles/campaign/5/all': [], 'PUT /vehicles/7': { ...vehicle, status: 'ng', inspected: true, version: 5 } })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  return { person, saves: () => calls.filter(({ name }) => name === 'PUT /vehicles/7') }
}
const pause = () => new Promise((soon) => { setTimeout(soon, 250) })
/** Presses a key as slowly as a person. */
async function press(key: string, target: Element = document.body, modifiers: KeyboardEventInit = {}): Promise<void> {
  await pause()
  fireEvent.keyDown(target, { key, ...modifiers })
  await pause()
}
const pressed = () => screen.queryAllByRole('button', { pressed: true }).map(({ textContent }) => textContent)

test('a digit chooses an allowed status, n goes to the notes, and Ctrl+Enter saves from there', async () => {
  const { person, saves } = await open(OPERATOR)
  await press('2')
  expect(pressed()).toEqual(['ng'])
  await press('2')
  expect(pressed()).toEqual(['ng']) // chosen, not withdrawn
  await press('4') // not allowed to an operator
  expect(pressed()).toEqual(['ng'])
  await press('n')
  const notes = screen.getByLabelText('Operator / Team Leader Notes')
  expect(document.activeElement).toBe(notes)
  await press('1', notes)
  expect(pressed()).toEqual(['ng'])
  await press('Enter', notes, { ctrlKey: true })
  expect(saves()).toEqual([]) // the vehicle is not identified yet
  const manual = screen.queryByRole('button', { name: 'Manual' })
  if (manual) await person.click(manual)
  await person.type(screen.getByLabelText('Vehicle identifier'), '0123')
  fireEvent.keyDown(notes, { key: 'x' })
  fireEvent.keyDown(notes, { key: 'Enter', ctrlKey: true }) // as fast as a hardware scanner
  await pause()
  expect(saves()).toEqual([])
  await press('Enter', notes, { ctrlKey: true })
  expect(await screen.findByText('O veículo foi inspecionado, redirecionando para o próximo...')).toBeTruthy()
})

test('the keys are in the keyboard help, and do nothing while they are switched off or without a mouse', async () => {
  await open(SUPERVISOR)
  expect(listKeyboardHelpEntries().map(({ keys, label }) => [...keys, label])).toEqual([
    ['1 – 7', 'Choose a status, in the order of the form'],
    ['n', 'Notes'],
    ['Ctrl + Enter', 'Save and Go Next'],
  ])
  setShortcutsEnabled(false)
  await press('1')
  expect(pressed()).toEqual([])
})

test('a phone has no keys', async () => {
  await open(OPERATOR, false)
  await press('1')
  expect(pressed()).toEqual([])
  await waitFor(() => expect(listKeyboardHelpEntries()).toEqual([]))
})
