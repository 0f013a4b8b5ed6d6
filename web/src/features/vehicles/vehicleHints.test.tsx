import { screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { stubServer } from '@/testing/server'
import { OPERATOR, renderPage, signInAs } from '@/testing/renderPage'
import VehiclePage from './VehiclePage'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: '', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: 8, modified_by: null, modified_by_hmc: null, modified_at: null, version: 4, open_conflicts: 0,
}
const campaign = { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }
const ASKS = 'Sem status: o app vai perguntar ao salvar.'

afterEach(() => endSessionAndKeepData())

async function open(shown: Vehicle, next: Partial<Vehicle> = {}) {
  signInAs(OPERATOR)
  stubServer({ 'GET /vehicles/7': shown, 'GET /vehicles/8': { ...vehicle, id: 8, vin_number: 'HB20 004711', ...next }, 'GET /campaigns/5': campaign, 'GET /vehicles/campaign/5/all': [] })
  const person = renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7')
  await screen.findByRole('form', { name: 'Vehicle Inspection' })
  const identify = async () => {
    const manual = screen.queryByRole('button', { name: 'Manual' })
    if (manual) await person.click(manual)
    await person.type(screen.getByLabelText('Vehicle identifier'), '0123')
  }
  return { person, identify }
}

test('before a save without a status, a line says that the app will ask, and both saves are described by it', async () => {
  const { person, identify } = await open(vehicle)
  expect(screen.queryByText(ASKS)).toBeNull()
  await identify()
  const line = screen.getByText(ASKS)
  for (const name of ['Save and Go Next', 'Save and Exit']) expect(screen.getByRole('button', { name }).getAttribute('aria-describedby')).toBe(line.id)
  await person.click(screen.getByRole('button', { name: 'ok' }))
  expect(screen.queryByText(ASKS)).toBeNull()
})

test('on the last vehicle, the line says both that there is no next one and that the app will ask', async () => {
  const { person, identify } = await open({ ...vehicle, next: null })
  await identify()
  expect(screen.getByText(`Este é o último veículo: use Save and Exit. ${ASKS}`)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'ok' }))
  expect(screen.getByText('Este é o último veículo: use Save and Exit.')).toBeTruthy()
})

test('the next vehicle is shown by its space, and also by the end of its VIN in the same space or without one', async () => {
  for (const [parking_space, text] of [['A-3', 'Next A-3'], ['A-2', 'Next A-24711'], [' ', 'Next 4711']] as const) {
    await open(vehicle, { parking_space })
    const line = (await screen.findByText(/^Next/)).textContent
    expect(line?.trim()).toBe(text)
    document.body.replaceChildren()
  }
})

test('Cancel is the last of the buttons in the focus order', async () => {
  await open(vehicle)
  const names = within(screen.getByRole('form')).getAllByRole('button').map(({ textContent }) => textContent)
  expect(names.slice(-3)).toEqual(['Save and Go Next', 'Save and Exit', 'Cancel'])
})
