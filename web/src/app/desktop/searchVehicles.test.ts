import { expect, test } from 'vitest'
import { createTestQueryClient } from '@/testing/renderPage'
import { stubServer } from '@/testing/server'
import { MAX_SEARCH_RESULTS, searchVehicles } from './searchVehicles'

const vehicle = (id: number) => ({ id, vin_number: `HB20 ${id}`, parking_space: `A-${id}`, status: '', inspected: false, version: 1, yard_group: 'A' })
const campaigns = Array.from({ length: 6 }, (_, index) => ({ id: index + 1, name: `Open ${index + 1}`, status: 'Ongoing' }))

/** Searches six open campaigns, of which each has `found` matching vehicles. */
async function search(found: number) {
  const vehicles = Array.from({ length: found }, (_, index) => vehicle(index))
  stubServer({
    'GET /campaigns': { campaigns, meta: { page_index: 0, total_count: 30, per_page: 12 } },
    ...Object.fromEntries(campaigns.map(({ id }) => [`GET /vehicles/campaign/${id}`, { vehicles, meta: { page_index: 0, total_count: found, per_page: 8, campaign_name: '' } }])),
  })
  const result = await searchVehicles(createTestQueryClient(), 'HB20', new AbortController().signal)
  return [result.vehicles.length, result.searched, result.open]
}

test('the result states how many campaigns were searched, also when the search stops early', async () => {
  expect(await search(0)).toEqual([0, 6, 30])
  expect(await search(1)).toEqual([6, 6, 30])
  expect(await search(2)).toEqual([MAX_SEARCH_RESULTS, 4, 30])
})
