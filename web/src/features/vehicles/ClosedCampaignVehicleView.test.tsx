import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { LEADER, OPERATOR, renderPage, signInAs, SUPERVISOR } from '@/testing/renderPage'
import { stubServer } from '@/testing/server'
import VehiclePage from './VehiclePage'
import { WalkInspectionSheet } from './WalkInspectionSheet'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: 'ng', inspected: true,
  admin_notes: 'from QC', operator_notes: 'left door', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: 8, modified_by: 3, modified_by_hmc: '1003', modified_at: '2026-11-21T01:02:03Z', version: 4, open_conflicts: 0,
}
const CLOSED = 'Esta campanha está encerrada. Não é possível salvar inspeções. Peça a um supervisor que a reabra.'

afterEach(() => {
  localStorage.clear()
  endSessionAndKeepData()
})

async function open(user: SessionUser, status: 'Closed' | 'Ongoing', shown = vehicle) {
  signInAs(user)
  stubServer({ 'GET /vehicles/7': shown, 'GET /vehicles/8': { ...vehicle, id: 8 }, 'GET /campaigns/5': { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status }, 'GET /vehicles/campaign/5/all': [] })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await (status === 'Closed' ? screen.findByText(CLOSED) : screen.findByRole('form', { name: 'Vehicle Inspection' }))
  return person
}
const noteOf = (label: string) => screen.queryByText(label)?.nextElementSibling?.textContent ?? null
const QC = 'QC / Supervisor Notes'

test.each([OPERATOR, SUPERVISOR])('a vehicle of a closed campaign is shown to $user_type with status, notes and history, and without a form', async (user) => {
  await open(user, 'Closed')
  expect(screen.getByRole('link', { name: 'Open campaign' })).toBeTruthy()
  expect(screen.getByText('Current status').nextElementSibling?.textContent).toBe('ng')
  expect([noteOf('Operator / Team Leader Notes'), noteOf(QC)]).toEqual(['left door', 'from QC'])
  expect(screen.getByText('Última modificação pelo ID: 3 - 1003, em 20/11/2026 às 22:02:03 (UTC-3).')).toBeTruthy()
  expect(screen.getByRole('region', { name: 'History' })).toBeTruthy()
  expect(screen.queryAllByRole('button').map(({ textContent }) => textContent)).toEqual([])
  expect([screen.queryByLabelText('Vehicle identifier'), screen.queryByRole('heading', { name: /Validate Inspection/ })]).toEqual([null, null])
})

test('what was typed before the campaign was closed stays visible and can be discarded', async () => {
  const base = { status: 'ng', operator_notes: 'left door', admin_notes: 'from QC', vin_number: vehicle.vin_number, parking_space: 'A-2' }
  localStorage.setItem('draft:3:7', JSON.stringify({ ...base, operator_notes: 'left door, 10 cm', identifier: '0123', version: 4, base }))
  const person = await open(OPERATOR, 'Closed')
  expect(screen.getByLabelText('Operator / Team Leader Notes', { selector: 'textarea' })).toMatchObject({ value: 'left door, 10 cm' })
  await person.click(screen.getByRole('button', { name: 'Discard' }))
  expect([screen.queryByRole('textbox'), localStorage.getItem('draft:3:7')]).toEqual([null, null])
})

test.each([['operator', OPERATOR], ['team leader', LEADER]] as const)('the supervisor notes are text for the %s, and absent while they are empty', async (_, user) => {
  await open(user, 'Ongoing')
  expect([noteOf(QC), screen.queryByLabelText(QC)]).toEqual(['from QC', null])
  cleanup()
  await open(user, 'Ongoing', { ...vehicle, admin_notes: '' })
  expect(screen.queryByText(QC)).toBeNull()
  cleanup()
  const listed = { id: 7, vin_number: 'HB20 000123', parking_space: 'A-2', id_yard: 2, yard_group: 'A', status: '' as const, inspected: false, version: 4 }
  renderPage(() => <WalkInspectionSheet campaign={5} listed={listed} yard={null} scanned oneTap={false} onSaved={() => undefined} onClose={() => undefined} />, '/', '/')
  await screen.findByText('Save as ng')
  expect(screen.queryByText(QC)).toBeNull()
})
