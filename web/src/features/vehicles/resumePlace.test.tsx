import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { readLastOpenedVehicle, writeLastOpenedVehicle } from '@/lib/lastOpenedVehicle'
import { stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage } from '@/testing/renderPage'
import VehiclePage from './VehiclePage'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: '', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: 8, modified_by: 3, modified_by_hmc: '1003', modified_at: '2026-11-21T01:02:03Z', version: 4, open_conflicts: 0,
}
const inspected: Vehicle = { ...vehicle, status: 'ok', inspected: true, version: 5 }
const campaign = { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }
const placeOf = (id: number) => ({ path: `/vehicle/${id}`, vin: '', campaign: '', space: '' })
const resumed = () => readLastOpenedVehicle('3')?.path ?? null

afterEach(endSessionAndKeepData)

async function open(shown: Vehicle) {
  signInAs(OPERATOR)
  const next = { ...vehicle, id: 8, vin_number: 'HB20 000124', parking_space: 'A-3', next: null }
  const calls = stubServer({ 'GET /vehicles/7': shown, 'GET /vehicles/8': next, 'PUT /vehicles/7': inspected, 'GET /campaigns/5': campaign })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  return { person, calls }
}

test('the place to resume is the opened vehicle, and after its save the next one', async () => {
  const { person, calls } = await open(vehicle)
  await waitFor(() => expect(calls.some(({ name }) => name === 'GET /vehicles/8')).toBe(true))
  expect(resumed()).toBe('/vehicle/7')
  await person.click(screen.getByRole('button', { name: 'Manual' }))
  await person.type(screen.getByLabelText('Vehicle identifier'), '0123')
  await person.click(screen.getByRole('button', { name: 'ok' }))
  await person.click(screen.getByRole('button', { name: 'Save and Go Next' }))
  await screen.findByText('O veículo foi inspecionado, redirecionando para o próximo...')
  expect(resumed()).toBe('/vehicle/8')
})

test('looking at an inspected vehicle keeps the place to resume', async () => {
  writeLastOpenedVehicle('3', placeOf(12))
  await open(inspected)
  expect(resumed()).toBe('/vehicle/12')
})

test('a place whose vehicle someone else has inspected is no place to resume', async () => {
  writeLastOpenedVehicle('3', placeOf(7))
  await open(inspected)
  await waitFor(() => expect(resumed()).not.toBe('/vehicle/7'))
})
