import '@/testing/indexedDb'
import { IDBFactory } from 'fake-indexeddb'
import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'
import { createReply, stubServer } from '@/testing/server'
import { createSession } from '@/testing/renderPage'
import type { Campaign, ListedVehicle } from '@/api/types'
import { createFake } from '@/testing/createFake'
import { createListedVehicle as row } from '@/testing/listedVehicles'
import type { EncryptedSave } from '../schema'

const rows = [row(1), row(2, { status: 'ok', inspected: true, version: 3 }), row(3)]
const head = createFake<Campaign>({ id: 5, name: 'Airbag', status: 'Ongoing', part: 'Airbag', description: 'Check', total_vehicles: 3, total_inspected: 1, progress_unknown: false, yard_name: null })
const all = (list: ListedVehicle[], headers: Record<string, string>) => new Response(JSON.stringify(list), { headers: { 'content-type': 'application/json', ...headers } })
const noNetwork = () => Promise.reject(new Error('no network'))

beforeEach(() => {
  indexedDB = new IDBFactory()
})

/** Loads the modules again, like a page that a person has just loaded. The database is shared. */
async function page(owner = 7) {
  vi.resetModules()
  const [snapshots, campaigns, queries] = [await import('.'), await import('../offlineCampaigns'), await import('../queries')]
  const session = await import('@/api/session')
  session.startSession(createSession({ id: owner, hmc: String(owner), user_type: 'op' }))
  await snapshots.readSnapshots()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  return { ...snapshots, ...campaigns, ...queries, client }
}

/** Downloads the list of the campaign on a page of its own, and returns that page. */
async function downloadEarlier(headers: Record<string, string> = { 'x-revision': '40' }) {
  stubServer({ 'GET /vehicles/campaign/5/all': all(rows, headers) })
  const phone = await page()
  await phone.downloadSnapshot(head, null)
  return phone
}

test('offline, a downloaded list answers for its campaign, its yards and its vehicles', async () => {
  await downloadEarlier()
  const fetching = vi.fn(noNetwork)
  vi.stubGlobal('fetch', fetching)
  const phone = await page()
  const ask = phone.client.fetchQuery.bind(phone.client)
  expect(await ask(phone.vehicleListQuery(5))).toEqual(rows)
  await vi.waitFor(() => expect(fetching).toHaveBeenCalledOnce()) // the refresh in the background
  expect(await ask(phone.campaignQuery(5, null))).toMatchObject({ name: 'Airbag', total_vehicles: 3, total_inspected: 1, next: 1 })
  expect(await ask(phone.campaignQuery(5, 18))).toMatchObject({ yard_name: 'K', total_vehicles: 1, total_inspected: 0, next: 3 })
  expect((await ask(phone.campaignPageQuery({ page: 0, search: 'air' }))).campaigns.map(({ id }) => id)).toEqual([5])
  expect((await ask(phone.campaignPageQuery({ page: 0, status: 'closed' }))).meta.total_count).toBe(0)
  expect(await ask(phone.yardVehicleCountsQuery('Airbag'))).toEqual([
    { yard_id: 2, yard_name: 'A', total_vehicles: 2, inspected_vehicles: 1 }, { yard_id: 18, yard_name: 'K', total_vehicles: 1, inspected_vehicles: 0 },
  ])
  expect(await ask(phone.vehicleQuery(3, null))).toMatchObject({ vin_number: 'HB20 000003', campaign_name: 'Airbag', model_code: 'HB20', next: 1, isPartial: true })
  await expect(ask(phone.vehicleQuery(99, null))).rejects.toMatchObject({ code: 'OFFLINE' })
})

test('a downloaded list is returned at once, and refreshed in the background', async () => {
  await downloadEarlier()
  const newer = row(3, { status: 'ng', inspected: true, version: 2 })
  const calls = stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision: 44, vehicles: [newer], removed: [], whole: false } })
  const phone = await page()
  const { queryKey, queryFn } = phone.vehicleListQuery(5)
  expect([await phone.client.fetchQuery({ queryKey, queryFn }), calls]).toEqual([rows, []])
  await vi.waitFor(() => expect(phone.client.getQueryData(queryKey)).toEqual([rows[0], rows[1], newer]))
})

test('a rejection by the server is not replaced by downloaded data', async () => {
  await downloadEarlier({})
  stubServer({ 'GET /vehicles/3': createReply(404, { code: 'NO_VEHICLE', message: 'Vehicle not found. It may have been deleted.' }) })
  const phone = await page()
  await expect(phone.client.fetchQuery(phone.vehicleQuery(3, null))).rejects.toMatchObject({ code: 'NO_VEHICLE' })
})

test('a list is refreshed by the changes since the download, which are stored', async () => {
  await downloadEarlier()
  const calls = stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision: 44, vehicles: [row(3, { status: 'ng', inspected: true, version: 2 })], removed: [], whole: false } })
  const phone = await page()
  await phone.refreshSnapshot(phone.client, 5)
  expect(calls.map(({ name, query }) => `${name} ${query.get('since') ?? ''}`)).toEqual(['GET /campaigns/5 ', 'GET /vehicles/campaign/5/changes 40'])
  const later = await page()
  expect((await later.readSnapshotRows(5))?.map(({ status }) => status)).toEqual(['', 'ok', 'ng'])
  expect((await later.readSnapshots())[0]).toMatchObject({ revision: 44, vehicles: 3 })
})

test('totals that the server does not know now do not replace the known totals', async () => {
  stubServer({ 'GET /vehicles/campaign/5/all': all(rows, { 'x-revision': '40' }) })
  await (await page()).downloadSnapshot(head, 2)
  stubServer({ 'GET /campaigns/5': { ...head, total_vehicles: 0, total_inspected: 0, progress_unknown: true }, 'GET /vehicles/campaign/5/changes': { revision: 44, vehicles: [], removed: [], whole: false } })
  const phone = await page()
  await phone.refreshSnapshot(phone.client, 5)
  expect((await phone.readSnapshots())[0]).toMatchObject({ revision: 44, head: { total_vehicles: 3, total_inspected: 1, progress_unknown: false } })
})

test('a list is downloaded again when too much has changed, or by its ETag from a server without revisions', async () => {
  await downloadEarlier()
  stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision: 90, vehicles: [], removed: [], whole: true }, 'GET /vehicles/campaign/5/all': all([row(1), row(4)], { etag: '"b"' }) })
  const phone = await page()
  expect((await phone.refreshSnapshot(phone.client, 5))?.map(({ id }) => id)).toEqual([1, 4])
  const calls = stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/all': new Response(null, { status: 304 }) })
  expect((await phone.refreshSnapshot(phone.client, 5))?.map(({ id }) => id)).toEqual([1, 4])
  const downloads = calls.filter(({ name }) => name === 'GET /vehicles/campaign/5/all')
  expect(downloads.map(({ headers }) => headers.get('if-none-match'))).toEqual(['"b"'])
})

test.each([
  ['no changes', { 'x-revision': '40' }, { 'GET /vehicles/campaign/5/changes': { revision: 44, vehicles: [], removed: [], whole: false } }],
  ['status 304', { etag: '"a"' }, {}],
])('a damaged list is downloaded again though the server reports %s', async (_, headers, changes) => {
  await downloadEarlier(headers)
  const { openDatabase } = await import('../database')
  await (await openDatabase())?.put('rows', 'damaged', [5, 0])
  const full = ({ headers: sent }: { headers: Headers }) => (sent.has('if-none-match') ? new Response(null, { status: 304 }) : all(rows, headers))
  stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/all': full, ...changes })
  const phone = await page()
  expect(await phone.readSnapshotRows(5)).toBeNull()
  expect(await phone.refreshSnapshot(phone.client, 5)).toEqual(rows)
  expect([phone.client.getQueryData(phone.vehicleListQuery(5).queryKey), await (await page()).readSnapshotRows(5)]).toEqual([rows, rows])
})

test('a list that is deleted while it is downloaded again is not stored again', async () => {
  const phone = await downloadEarlier({ etag: '"a"' })
  stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/all': async () => {
    await phone.deleteSnapshot(5)
    return all(rows, { etag: '"b"' })
  } })
  expect(await phone.refreshSnapshot(phone.client, 5)).toBeNull()
  expect([await phone.readSnapshots(), await phone.readSnapshotRows(5)]).toEqual([[], null])
})

test('an old event that a tab handles late does not replace a newer stored row', async () => {
  await downloadEarlier()
  const { writeSnapshotDelta } = await import('./store')
  const other = await page()
  const [older, newer] = [row(3, { status: 'ng', version: 2 }), row(3, { status: 'ok', version: 3 })]
  const { writeSnapshotDelta: writeInOther } = await import('./store')
  await writeInOther(5, [newer], {})
  await writeSnapshotDelta(5, [older], {})
  expect((await (await page()).readSnapshotRows(5))?.[2]).toMatchObject({ status: 'ok', version: 3 })
  expect((await other.readSnapshotRows(5))?.[2]).toMatchObject({ status: 'ok', version: 3 })
})

test('a list that disappears during its refresh is not cached as an empty list', async () => {
  const phone = await downloadEarlier()
  stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': async () => {
    await phone.deleteSnapshot(5)
    return { revision: 44, vehicles: [], removed: [], whole: false }
  } })
  expect(await phone.refreshSnapshot(phone.client, 5)).toBeNull()
  expect(phone.client.getQueryData(phone.vehicleListQuery(5).queryKey)).toBeUndefined()
})

test('changes that another tab has stored reach a tab that loaded the list before', async () => {
  const one = await downloadEarlier()
  const other = await page()
  expect(await other.readSnapshotRows(5)).toEqual(rows)
  const newer = row(3, { status: 'ng', inspected: true, version: 2 })
  stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision: 44, vehicles: [newer], removed: [], whole: false } })
  await one.refreshSnapshot(one.client, 5)
  stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision: 44, vehicles: [], removed: [], whole: false } })
  expect(await other.refreshSnapshot(other.client, 5)).toEqual([rows[0], rows[1], newer])
  expect(await other.readSnapshotRows(5)).toEqual([rows[0], rows[1], newer])
})

test('changes that arrive at the same time, also from another tab, are all in the loaded list', async () => {
  const one = await downloadEarlier()
  const { writeSnapshotDelta } = await import('./store')
  const other = await page()
  const otherStore = await import('./store')
  await other.readSnapshotRows(5)
  const [first, second, third] = [row(1, { status: 'ng', version: 2 }), row(2, { status: 'ng', version: 4 }), row(3, { status: 'ng', version: 2 })]
  await Promise.all([writeSnapshotDelta(5, [first], {}), writeSnapshotDelta(5, [second], {})])
  expect(await one.readSnapshotRows(5)).toEqual([first, second, rows[2]])
  const newest = row(1, { status: 'ok', version: 3 })
  await Promise.all([otherStore.writeSnapshotDelta(5, [third], { revision: 44 }), writeSnapshotDelta(5, [newest], {})])
  expect(await one.readSnapshotRows(5)).toEqual([newest, second, third])
})

test('campaigns that only the database lists make the page fetch its data again', async () => {
  await downloadEarlier()
  const phone = await page()
  const countRefetches = async (campaign: number, revision: number) => {
    const refetch = vi.spyOn(phone.client, 'invalidateQueries').mockClear()
    phone.recordOfflineCampaigns([{ campaign, yards: null }])
    stubServer({ 'GET /campaigns/5': head, 'GET /vehicles/campaign/5/changes': { revision, vehicles: [], removed: [], whole: false } })
    phone.startSnapshotRefresh(phone.client)
    await vi.waitFor(async () => expect(await phone.readSnapshots()).toMatchObject([{ revision }])) // the lists are refreshed after the index
    return refetch.mock.calls.length
  }
  expect([await countRefetches(9, 41), await countRefetches(5, 42)]).toEqual([1, 0])
})

test('a deleted campaign is no longer available offline', async () => {
  await downloadEarlier({})
  stubServer({ 'GET /campaigns/5': createReply(404, { code: 'NO_CAMPAIGN', message: 'Campaign not found. It may have been deleted.' }) })
  const phone = await page()
  await expect(phone.refreshSnapshot(phone.client, 5)).rejects.toMatchObject({ code: 'NO_CAMPAIGN' })
  expect([await phone.readSnapshots(), await phone.readSnapshotRows(5), phone.offlineCampaigns.get()]).toEqual([[], null, []])
})

test('yards are downloaded one after the other', async () => {
  stubServer({ 'GET /vehicles/campaign/5/all': () => all(rows, {}) })
  const phone = await page()
  await phone.downloadSnapshot(head, 18)
  expect((await phone.readSnapshotRows(5))?.map(({ id }) => id)).toEqual([3])
  await phone.downloadSnapshot(head, 2)
  expect((await phone.readSnapshots())[0]).toMatchObject({ yards: [18, 2], vehicles: 3 })
})

test('a list is visible to the person who downloaded it, for twelve hours after its last refresh', async () => {
  await downloadEarlier()
  expect([(await page(8)).offlineCampaigns.get(), (await page(7)).offlineCampaigns.get()]).toEqual([[], [{ campaign: 5, yards: null }]])
  vi.setSystemTime(Date.now() + 12 * 3_600_000 + 1)
  expect((await page(7)).offlineCampaigns.get()).toEqual([])
  vi.useRealTimers()
  expect((await page(7)).offlineCampaigns.get()).toEqual([])
})

test('signing out deletes everything of the person from this browser except unsent saves', async () => {
  await downloadEarlier()
  for (const name of ['draft:7:1', 'resume:7', 'draft:8:1', 'language']) localStorage.setItem(name, '"kept"')
  const { openDatabase } = await import('../database')
  const kept = await openDatabase()
  const save = (owner: string, state: string) => createFake<EncryptedSave>({ owner, state, change: { base: {}, wanted: {} }, conflicts: [], replaces: null, vehicle: 1 })
  for (const [owner, state] of [['7', 'waiting'], ['7', 'done'], ['7', 'refused'], ['8', 'done']] as const) await kept?.add('outbox', save(owner, state))
  const { deletePersonalData } = await import('../personalData')
  await deletePersonalData('7')
  expect(Object.keys(localStorage).filter((name) => name.includes(':') || name === 'language').toSorted()).toEqual(['draft:8:1', 'language'])
  expect((await kept?.getAll('outbox'))?.map(({ owner, state }) => [owner, state])).toEqual([['7', 'waiting'], ['7', 'refused'], ['8', 'done']])
  expect([await kept?.count('taken'), await kept?.count('rows'), await kept?.count('newer')]).toEqual([0, 0, 0])
})

test('a download that ends after its person has signed out stores nothing', async () => {
  const signedIn = await page()
  stubServer({ 'GET /vehicles/campaign/5/all': async () => {
    const { endSessionAndClearData } = await import('@/api/session')
    endSessionAndClearData()
    return all(rows, { 'x-revision': '40' })
  } })
  await signedIn.downloadSnapshot(head, null).catch(() => undefined)
  const { openDatabase } = await import('../database')
  const kept = await openDatabase()
  expect([await kept?.count('taken'), await kept?.count('rows'), await kept?.count('newer')]).toEqual([0, 0, 0])
})
