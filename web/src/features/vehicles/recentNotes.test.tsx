import '@/testing/indexedDb'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { deleteLocalDataOnSignOut, signOut } from '@/app/signOut'
import { readRecentNotes, recordRecentNote } from '@/lib/recentNotes'
import { setLanguage } from '@/lib/text'
import { deleteOutboxEntry, loadOutbox, outboxState } from '@/offline/outbox'
import { createReply, stubServer } from '@/testing/server'
import { LEADER, OPERATOR, renderPage, signInAs } from '@/testing/renderPage'
import VehiclePage from './VehiclePage'
import { WalkInspectionSheet } from './WalkInspectionSheet'

const listed = { id: 7, vin_number: 'HB20 000123', parking_space: 'A-2', id_yard: 2, yard_group: 'A', status: '' as const, inspected: false, version: 4 }
const vehicle: Vehicle = {
  ...listed, model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', admin_notes: '', operator_notes: '', next: null,
  modified_by: null, modified_by_hmc: null, modified_at: null, open_conflicts: 0,
}
const LONG = 'Scratch on the left front door, about ten centimetres, reported to the yard'
const SHORTENED = 'Scratch on the left front door, about ten centimetres, repo…'

beforeEach(loadOutbox)
afterEach(async () => {
  for (const { seq } of outboxState.get().entries) await deleteOutboxEntry(seq)
  await setLanguage('default')
  endSessionAndKeepData()
})

function serve(user: SessionUser, shown = vehicle) {
  signInAs(user)
  stubServer({
    'GET /vehicles/7': shown, 'GET /campaigns/5': { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }, 'GET /vehicles/campaign/5/all': [],
    'PUT /vehicles/7': { ...shown, status: 'ng', inspected: true, version: 5 },
  })
}
async function openPage(user = OPERATOR, shown = vehicle) {
  serve(user, shown)
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  const manual = screen.queryByRole('button', { name: 'Manual' })
  if (manual) await person.click(manual)
  await person.type(screen.getByLabelText('Vehicle identifier'), '0123')
  return person
}
async function openSheet() {
  serve(OPERATOR)
  const person = renderPage(() => <WalkInspectionSheet campaign={5} listed={listed} yard={null} scanned oneTap onSaved={() => undefined} onClose={() => undefined} />, '/', '/')
  await screen.findByRole('button', { name: 'ng' })
  return person
}
const button = (name: string) => screen.getByRole('button', { name })
const field = () => screen.getByLabelText('Operator / Team Leader Notes')
const offered = () => screen.queryAllByRole('button', { name: /^(Insert note|Inserir observação): / }).map(({ textContent }) => textContent)

test.each([['vehicle page', openPage], ['sheet of walk mode', openSheet]] as const)('the %s offers recent notes with ng, and a tap inserts the full text', async (_, open) => {
  for (const note of ['left door', 'roof', LONG]) recordRecentNote('3', 5, note)
  recordRecentNote('3', 6, 'other campaign')
  const person = await open()
  expect(offered()).toEqual([])
  await person.click(button('ng'))
  expect(screen.getByRole('group', { name: 'Recent notes' })).toBeTruthy()
  expect(offered()).toEqual([SHORTENED, 'roof', 'left door'])
  await person.click(button(`Insert note: ${SHORTENED}`))
  expect(field()).toHaveProperty('value', LONG)
  expect(offered()).toEqual([])
})

test('recent notes are offered neither with ok nor while the field has text', async () => {
  recordRecentNote('3', 5, 'roof')
  const person = await openPage()
  await person.click(button('ok'))
  expect(offered()).toEqual([])
  await person.click(button('ng'))
  expect(offered()).toEqual(['roof'])
  await person.type(field(), 'x')
  expect(button('Insert note: roof')).toHaveProperty('disabled', true)
  await person.click(document.body) // not the Tab key, which ends the input of a hardware scanner when it follows a character at once
  expect(offered()).toEqual([])
  await person.clear(field())
  expect(offered()).toEqual(['roof'])
})

test('another person is not offered the notes', async () => {
  recordRecentNote('3', 5, 'roof')
  const person = await openPage(LEADER)
  await person.click(button('ng'))
  expect(offered()).toEqual([])
})

test('the buttons have a label in Portuguese', async () => {
  recordRecentNote('3', 5, 'roof')
  const person = await openPage()
  await person.click(button('ng'))
  await setLanguage('pt-BR')
  await waitFor(() => expect(button('Inserir observação: roof')).toBeTruthy())
  expect(screen.getByRole('group', { name: 'Observações recentes' })).toBeTruthy()
})

test('a saved note is offered for the next vehicle, also when the save only waits on this device, until the person signs out', async () => {
  deleteLocalDataOnSignOut()
  const person = await openPage()
  await person.click(button('ng'))
  await person.type(field(), 'left door')
  await person.click(button('Save and Exit'))
  await waitFor(() => expect(readRecentNotes('3', 5)).toEqual(['left door']))
  cleanup()
  const again = await openSheet()
  stubServer({ 'PUT /vehicles/7': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  await again.click(button('ng'))
  expect(offered()).toEqual(['left door'])
  await again.type(field(), 'roof')
  await again.click(button('Save as ng'))
  await waitFor(() => expect(readRecentNotes('3', 5)).toEqual(['roof', 'left door']))
  signOut()
  await waitFor(() => expect(localStorage.getItem('notes:3')).toBeNull())
})

test('a save that leaves the notes as they are records no note', async () => {
  const person = await openPage(OPERATOR, { ...vehicle, operator_notes: 'note of another person' })
  await person.click(button('ng'))
  await person.click(button('Save and Exit'))
  await waitFor(() => expect(window.location.pathname).toBe('/campaign/5'))
  expect(readRecentNotes('3', 5)).toEqual([])
})
