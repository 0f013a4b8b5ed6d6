import { expect, test } from 'vitest'
import { createTestQueryClient } from '@/testing/renderPage'
import { createReply, stubServer } from '@/testing/server'
import { MAX_SEARCHED_CAMPAIGNS, MAX_SEARCH_RESULTS, searchVehicles, type VehicleSearchResult } from './searchVehicles'

/** Vehicles by campaign: each entry is a parking space, with the VIN after a blank where the VIN matters. */
type Yard = Record<number, string[]>

/** Searches `count` open campaigns, newest first, with these vehicles. Returns the result and the ids of the searched campaigns in order. */
async function search(typed: string, count: number, yard: Yard, { campaign = null, all = false }: { campaign?: number | null; all?: boolean } = {}) {
  const open = Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `Open ${index + 1}`, status: 'Ongoing' }))
  const reply = (id: number) => ({ query }: { query: URLSearchParams }) => {
    const every = (yard[id] ?? []).map((one, index) => {
      const [space = '', vin = `HB20 ${id}${index}`] = one.split(/ (.*)/)
      return { id: id * 1000 + index, vin_number: vin, parking_space: space, status: '', inspected: false, version: 1, yard_group: 'A' }
    })
    const text = (query.get('search') ?? '').toLowerCase()
    const literal = every.filter((one) => `${one.vin_number}\n${one.parking_space}`.toLowerCase().includes(text))
    const found = literal.length > 0 ? literal : every.filter((one) => one.vin_number.toLowerCase().replaceAll(/[ -]/g, '').includes(text.replaceAll(/[ -]/g, ''))) // as the server does
    return { vehicles: found.slice(0, Number(query.get('per_page'))), meta: { page_index: 0, total_count: found.length, per_page: 8, campaign_name: `Open ${id}` } }
  }
  const calls = stubServer({
    'GET /campaigns': ({ query }) => {
      const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))]
      return { campaigns: open.slice(page * size, (page + 1) * size), meta: { page_index: page, total_count: count, per_page: size } }
    },
    ...Object.fromEntries([...Array(count + 1).keys(), 900].map((id) => [`GET /vehicles/campaign/${id}`, reply(id)])),
    'GET /vehicles/campaign/404': createReply(404, { code: 'NOT_FOUND', message: 'none' }),
  })
  const result = await searchVehicles(createTestQueryClient(), { text: typed, campaign, all }, new AbortController().signal)
  return { result, asked: calls.filter(({ name }) => name.includes('/vehicles/')).map(({ name }) => Number(name.split('/').at(-1))) }
}
const places = ({ vehicles }: VehicleSearchResult) => vehicles.map(({ campaign, space }) => `${campaign.replace('Open ', '')} ${space}`)

test('the campaign of the page is searched first, however old it is, and its vehicles come first', async () => {
  const { result, asked } = await search('b207', 18, { 2: ['B-207'], 17: ['B-207'] }, { campaign: 17 })
  expect(asked[0]).toBe(17)
  expect(asked.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 18 }, (_, index) => index + 1))
  expect(places(result)).toEqual(['17 B-207', '2 B-207'])
  expect([result.total, result.searched, result.open]).toEqual([2, 18, 18])
})

test('a closed campaign is searched while its page is open, and a deleted campaign does not fail the search', async () => {
  const closed = await search('C-1', 2, { 900: ['C-1'], 1: ['C-1'] }, { campaign: 900 })
  expect([places(closed.result), closed.result.searched, closed.result.open]).toEqual([['900 C-1', '1 C-1'], 2, 2])
  const deleted = await search('C-1', 2, { 1: ['C-1'] }, { campaign: 404 })
  expect(places(deleted.result)).toEqual(['1 C-1'])
})

test('an exact space or a whole part of a VIN precedes a beginning, which precedes any other match', async () => {
  const { result } = await search('B-20', 3, { 1: ['B-200', 'B-201'], 2: ['B-20', 'B-205'], 3: ['XB-20'] })
  expect(places(result)).toEqual(['2 B-20', '1 B-200', '1 B-201', '2 B-205', '3 XB-20'])
  const vin = await search('4251', 2, { 1: ['A-1 9BW425199', 'A-2 4251999'], 2: ['A-3 9BWZZZ377VT004251', 'A-4 HB20 4251'] })
  expect(places(vin.result)).toEqual(['2 A-3', '2 A-4', '1 A-2', '1 A-1'])
})

test('a campaign gives at most three vehicles until every campaign had its turn, and the total counts all', async () => {
  const many = Array.from({ length: 12 }, (_, index) => `B-1${index}`)
  const { result } = await search('B-1', 3, { 1: many, 2: ['B-10', 'B-11'], 3: ['B-1'] })
  expect(places(result)).toEqual(['3 B-1', '1 B-10', '1 B-11', '1 B-12', '1 B-13', '1 B-14', '2 B-10', '2 B-11'])
  expect(result.vehicles).toHaveLength(MAX_SEARCH_RESULTS)
  expect(result.total).toBe(15)
})

test('a search covers a bounded number of campaigns, and all of them when asked', async () => {
  const last = MAX_SEARCHED_CAMPAIGNS + 6
  const some = await search('B-207', last, { [last]: ['B-207'] })
  expect([some.result.total, some.result.searched, some.result.open, some.asked.length]).toEqual([0, MAX_SEARCHED_CAMPAIGNS, last, MAX_SEARCHED_CAMPAIGNS])
  const all = await search('B-207', last, { [last]: ['B-207'] }, { all: true })
  expect([places(all.result), all.result.searched, all.result.open]).toEqual([[`${last} B-207`], last, last])
  const huge = await search('B-207', 230, { 230: ['B-207'] }, { all: true })
  expect([places(huge.result), huge.result.searched]).toEqual([['230 B-207'], 230])
})

test('a space is not found inside a VIN while a campaign has that space', async () => {
  const { result } = await search('b20', 2, { 1: ['A-1 HB20 000001'], 2: ['B-20'] })
  expect([places(result), result.total]).toEqual([['2 B-20'], 1])
  const inside = await search('b20', 2, { 1: ['A-1 HB20 000001'], 2: ['C-1 CRETA 1'] })
  expect(places(inside.result)).toEqual(['1 A-1'])
})
