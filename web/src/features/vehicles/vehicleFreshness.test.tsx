import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { updateVehicleCache } from '@/api/vehicleCache'
import { endSessionAndKeepData } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { applyLiveEvent } from '@/offline/live/applyLiveEvent'
import { stubServer } from '@/testing/server'
import { createTestQueryClient, OPERATOR, renderPage, signInAs } from '@/testing/renderPage'
import VehiclePage, { prefetch } from './VehiclePage'

const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: '', inspected: false,
  admin_notes: '', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', next: null, modified_by: null, modified_by_hmc: null, modified_at: null, version: 4, open_conflicts: 0,
}
const campaign = { id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing' }

afterEach(() => {
  vi.restoreAllMocks()
  endSessionAndKeepData()
})

/** Prefetches vehicle 7 and waits for the response. Returns the query client, the number of requests, and a function that opens the page. */
async function prefetched() {
  signInAs(OPERATOR)
  const server = { shown: vehicle }
  const calls = stubServer({ 'GET /vehicles/7': () => server.shown, 'GET /campaigns/5': campaign, 'GET /vehicles/campaign/5/all': [] })
  const queries = createTestQueryClient()
  const requests = () => calls.filter(({ name }) => name === 'GET /vehicles/7').length
  prefetch(queries, 7)
  await waitFor(() => expect(queries.isFetching()).toBe(0))
  const open = async () => {
    renderPage(VehiclePage, '/vehicle/:id', '/vehicle/7', queries)
    await screen.findByRole('form', { name: 'Vehicle Inspection' })
    await waitFor(() => expect(queries.isFetching()).toBe(0))
  }
  return { server, queries, requests, open }
}

test('a vehicle whose data arrived before its page opens is requested once', async () => {
  const { requests, open } = await prefetched()
  await open()
  expect(requests()).toBe(1)
})

test('prefetched data that is a minute old is requested again when the page opens', async () => {
  const { queries, requests, open } = await prefetched()
  queries.setQueryData(['vehicles', 'one', 7, null], vehicle, { updatedAt: Date.now() - 60_000 })
  await open()
  expect(requests()).toBe(2)
})

test('a live event between prefetch and page, and one on the open page, each fetch the vehicle again at once', async () => {
  const { server, queries, requests, open } = await prefetched()
  const change = (status: Vehicle['status'], version: number) => {
    server.shown = { ...vehicle, status, inspected: true, version }
    const listed = { id: 7, vin_number: vehicle.vin_number, parking_space: 'A-2', yard_group: 'A', id_yard: 2, status, inspected: true, version }
    act(() => applyLiveEvent(queries, { event: 'vehicles', data: JSON.stringify({ campaign_id: 5, vehicles: [listed] }) }, () => undefined))
  }
  change('ng', 5)
  await open()
  expect(requests()).toBe(2)
  await waitFor(() => expect(screen.getAllByText('ng').length).toBeGreaterThan(1))
  change('Repair', 6)
  await waitFor(() => expect(requests()).toBe(3))
})

test('a save of another vehicle between prefetch and page makes the page fetch its vehicle again', async () => {
  const { queries, requests, open } = await prefetched()
  updateVehicleCache(queries, { ...vehicle, id: 8, status: 'ok', version: 5 }, null)
  await open()
  expect(requests()).toBe(2)
})
