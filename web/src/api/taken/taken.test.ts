import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'
import { reply, serve } from '@/testing/server'
import type { Campaign, ListedVehicle } from '../types'
import { hasStrangers, packed, patched, unpacked } from './rows'

const row = (id: number, part: Partial<ListedVehicle> = {}): ListedVehicle => ({
  id, vin_number: `HB20 00000${id}`, parking_space: `A-${id}`, yard_group: id < 3 ? 'A' : 'K', id_yard: id < 3 ? 2 : 18, status: '', inspected: false, version: 1, ...part,
})
const rows = [row(1), row(2, { status: 'ok', inspected: true, version: 3 }), row(3)]
const head = { id: 5, name: 'Airbag', status: 'Ongoing', part: 'Airbag', description: 'Check', total_vehicles: 3, total_inspected: 1, yard_name: null } as Campaign
const all = (list: ListedVehicle[], headers: Record<string, string>) => new Response(JSON.stringify(list), { headers: { 'content-type': 'application/json', ...headers } })
const noNetwork = () => Promise.reject(new Error('no network'))

beforeEach(() => {
  indexedDB = new IDBFactory()
})

/** The modules as a page that has just been loaded by a person has them; the disk stays. */
async function page(owner = 7) {
  vi.resetModules()
  const [taken, along, queries] = [await import('.'), await import('../along'), await import('../queries')]
  const session = await import('../session')
  session.startSession('token', { id: owner, hmc: String(owner), user_type: 'op' })
  await taken.readLists()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  return { ...taken, ...along, ...queries, client }
}

test('rows come back from the disk as they were, in order', () => {
  const many = Array.from({ length: 4100 }, (_, index) => row(index + 1, { id_yard: index % 2 === 0 ? 2 : null }))
  expect(packed(many)).toHaveLength(3)
  expect(unpacked(packed(many))).toEqual(many)
  expect(unpacked(packed([]))).toEqual([])
})

test('only newer rows take the place of older ones, and an unchanged list stays the same one', () => {
  expect(patched(rows, [row(1, { status: 'ng', version: 2 }), row(2, { version: 2 })], [3])).toEqual([row(1, { status: 'ng', version: 2 }), rows[1]])
  expect(patched(rows, [row(2, { status: 'ng', version: 3 })])).toBe(rows)
  expect([hasStrangers(rows, [row(3)]), hasStrangers(rows, [row(4)])]).toEqual([false, true])
})

test('without a network a list that was taken along answers for its campaign, its yards and its vehicles', async () => {
  serve({ 'GET /vehicles/campaign/5/all': all(rows, { 'x-revision': '40' }) })
  await (await page()).take(head, null)
  serve({})
  vi.stubGlobal('fetch', noNetwork)
  const phone = await page()
  const ask = phone.client.fetchQuery.bind(phone.client)
  expect(await ask(phone.wholeListQuery(5))).toEqual(rows)
  expect(await ask(phone.campaignQuery(5, null))).toMatchObject({ name: 'Airbag', total_vehicles: 3, total_inspected: 1, next: 1 })
  expect(await ask(phone.campaignQuery(5, 18))).toMatchObject({ yard_name: 'K', total_vehicles: 1, total_inspected: 0, next: 3 })
  expect((await ask(phone.campaignsQuery({ page: 0, search: 'air' }))).campaigns.map(({ id }) => id)).toEqual([5])
  expect((await ask(phone.campaignsQuery({ page: 0, status: 'closed' }))).meta.total_count).toBe(0)
  expect(await ask(phone.yardCountsQuery('Airbag'))).toEqual([
    { yard_id: 2, yard_name: 'A', total_vehicles: 2, inspected_vehicles: 1 }, { yard_id: 18, yard_name: 'K', total_vehicles: 1, inspected_vehicles: 0 },
  ])
  expect(await ask(phone.vehicleQuery(3, null))).toMatchObject({ vin_number: 'HB20 000003', campaign_name: 'Airbag', model_code: 'HB20', next: 1, partly: true })
  await expect(ask(phone.vehicleQuery(99, null))).rejects.toMatchObject({ code: 'OFFLINE' })
})

test('a refusal of the server is told, whatever is along', async () => {
  serve({ 'GET /vehicles/campaign/5/all': all(rows, {}) })
  await (await page()).take(head, null)
  serve({ 'GET /vehicles/3': reply(404, { code: 'NO_VEHICLE', message: 'vehicle 3 does not exist' }) })
  const phone = await page()
  await expect(phone.client.fetchQuery(phone.vehicleQuery(3, null))).rejects.toMatchObject({ code: 'NO_VEHICLE' })
})

test('a list is brought up to date by what changed since, and that is there after the next start', async () => {
  serve({ 'GET /vehicles/campaign/5/all': all(rows, { 'x-revision': '40' }) })
  await (await page()).take(head, null)
  const calls = serve({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision: 44, vehicles: [row(3, { status: 'ng', inspected: true, version: 2 })], removed: [], whole: false } })
  const phone = await page()
  await phone.refresh(phone.client, 5)
  expect(calls.map(({ name, query }) => `${name} ${query.get('since') ?? ''}`)).toEqual(['GET /campaigns/5 ', 'GET /vehicles/campaign/5/changes 40'])
  const later = await page()
  expect((await later.wholeList(5))?.map(({ status }) => status)).toEqual(['', 'ok', 'ng'])
  expect((await later.readLists())[0]).toMatchObject({ revision: 44, vehicles: 3 })
})

test('a list is fetched whole when too much changed, or by its tag from a server that counts no changes', async () => {
  serve({ 'GET /vehicles/campaign/5/all': all(rows, { 'x-revision': '40' }) })
  await (await page()).take(head, null)
  serve({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision: 90, vehicles: [], removed: [], whole: true }, 'GET /vehicles/campaign/5/all': all([row(1), row(4)], { etag: '"b"' }) })
  const phone = await page()
  expect((await phone.refresh(phone.client, 5))?.map(({ id }) => id)).toEqual([1, 4])
  const calls = serve({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/all': new Response(null, { status: 304 }) })
  expect((await phone.refresh(phone.client, 5))?.map(({ id }) => id)).toEqual([1, 4])
  expect(calls.at(-1)?.headers.get('if-none-match')).toBe('"b"')
})

test('a campaign that is gone is no longer along', async () => {
  serve({ 'GET /vehicles/campaign/5/all': all(rows, {}) })
  await (await page()).take(head, null)
  serve({ 'GET /campaigns/5': reply(404, { code: 'NO_CAMPAIGN', message: 'campaign 5 does not exist' }) })
  const phone = await page()
  await expect(phone.refresh(phone.client, 5)).rejects.toMatchObject({ code: 'NO_CAMPAIGN' })
  expect([await phone.readLists(), await phone.wholeList(5), phone.along.get()]).toEqual([[], null, []])
})

test('yards are taken along one after the other', async () => {
  serve({ 'GET /vehicles/campaign/5/all': () => all(rows, {}) })
  const phone = await page()
  await phone.take(head, 18)
  expect((await phone.wholeList(5))?.map(({ id }) => id)).toEqual([3])
  await phone.take(head, 2)
  expect((await phone.readLists())[0]).toMatchObject({ yards: [18, 2], vehicles: 3 })
})

test('a list is seen by who took it along, for half a day after it was last up to date', async () => {
  serve({ 'GET /vehicles/campaign/5/all': all(rows, { 'x-revision': '40' }) })
  await (await page()).take(head, null)
  expect([(await page(8)).along.get(), (await page(7)).along.get()]).toEqual([[], [{ campaign: 5, yards: null }]])
  vi.setSystemTime(Date.now() + 12 * 3_600_000 + 1)
  expect((await page(7)).along.get()).toEqual([])
  vi.useRealTimers()
  expect((await page(7)).along.get()).toEqual([])
})

test('signing out takes everything of the person from this browser but what was not sent', async () => {
  serve({ 'GET /vehicles/campaign/5/all': all(rows, { 'x-revision': '40' }) })
  await (await page()).take(head, null)
  for (const name of ['draft:7:1', 'resume:7', 'draft:8:1', 'language']) localStorage.setItem(name, '"kept"')
  const { disk } = await import('../disk')
  const kept = await disk()
  const save = (owner: string, state: string) => ({ owner, state, change: { base: {}, wanted: {} }, conflicts: [], replaces: null, vehicle: 1 }) as never
  for (const [owner, state] of [['7', 'waiting'], ['7', 'done'], ['7', 'refused'], ['8', 'done']] as const) await kept?.add('outbox', save(owner, state))
  const { forgetPerson } = await import('../forget')
  await forgetPerson('7')
  expect(Object.keys(localStorage).filter((name) => name.includes(':') || name === 'language').toSorted()).toEqual(['draft:8:1', 'language'])
  expect((await kept?.getAll('outbox'))?.map(({ owner, state }) => [owner, state])).toEqual([['7', 'waiting'], ['7', 'refused'], ['8', 'done']])
  expect([await kept?.count('taken'), await kept?.count('rows'), await kept?.count('newer')]).toEqual([0, 0, 0])
})
