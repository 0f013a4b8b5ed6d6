import 'fake-indexeddb/auto'
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reply, serve } from '@/testing/server'
import { entryOf, type Work } from './save'
import { overlaid, overlaidList, pendingOf, restAfter, uncounted, verdictOn, type Entry } from './entry'

const ME = { id: 3, hmc: '1003', user_type: 'op' }
const OTHER = { id: 9, hmc: '1009', user_type: 'op' }

const work = (vehicle: number, status: string, part: Partial<Work> = {}): Work => ({
  owner: '3', hmc: '1003', vehicle, vin: `HB20 00000${vehicle}`, space: `A-${vehicle}`, campaign: 5, campaign_name: 'Airbag', yard: null, stands_in: 2,
  version: 1, change: { base: { status: '' }, wanted: { status } }, inspected: false, origin: 'typed', replaces: null, ...part,
})
const saved = (id: number, status = 'ok') => ({ id, status, inspected: true, campaign_id: 5, version: 2 })

/** The modules as a page that has just been loaded has them; the disk stays. */
async function page(user = ME) {
  vi.resetModules()
  const [outbox, session] = [await import('.'), await import('../session')]
  session.startSession(`token of ${user.hmc}`, user)
  const { read } = await import('./box')
  await read()
  return { ...outbox, ...session, states: () => outbox.box.get().entries.map(({ vehicle, state }) => `${vehicle} ${state}`) }
}
const start = ({ start: begin }: Awaited<ReturnType<typeof page>>) => begin(new QueryClient())

beforeEach(() => {
  indexedDB = new IDBFactory()
})
afterEach(() => vi.restoreAllMocks())

test('a save is on the disk before it is sent, and done when the server has it', async () => {
  const phone = await page()
  let onDisk: string[] = []
  const calls = serve({ 'PUT /vehicles/7': () => {
    onDisk = phone.states()
    return saved(7)
  } })
  const result = await phone.save(work(7, 'ok'), 'key-1')
  expect([result.kind, onDisk]).toEqual(['saved', ['7 waiting']])
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  expect(calls[0]?.headers.get('idempotency-key')).toBe('key-1')
  expect(calls[0]?.body).toMatchObject({ status: 'ok', base: { status: '' }, on_conflict: 'ask', origin: 'typed' })
})

test('without a network a save is kept, and another page sends all of them in order, once, as they were made', async () => {
  serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')), 'PUT /vehicles/8': () => Promise.reject(new Error('no network')) })
  const phone = await page()
  expect((await phone.save(work(7, 'ok'), 'key-7')).kind).toBe('kept')
  expect((await phone.save(work(8, 'ng', { origin: 'scanned' }), 'key-8')).kind).toBe('kept')

  const calls = serve({ 'PUT /vehicles/7': saved(7), 'PUT /vehicles/8': saved(8) })
  const later = await page()
  start(later)
  await vi.waitFor(() => expect(later.states()).toEqual(['7 done', '8 done']))
  expect(calls.map(({ name, headers }) => `${name} ${headers.get('idempotency-key')}`)).toEqual(['PUT /vehicles/7 key-7', 'PUT /vehicles/8 key-8'])
  expect(calls[1]?.body).toMatchObject({ origin: 'scanned', status: 'ng' })
})

test('a network that takes reads and no saves is not tried without a rest; one that comes back after a rest is, at once', async () => {
  const calls = serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')) })
  const phone = await page()
  const { noteSignal } = await import('../signal')
  start(phone)
  await phone.save(work(7, 'ok'), 'key-7')
  const tries = calls.length
  for (let read = 0; read < 20; read++) {
    noteSignal(false)
    noteSignal(true)
    await new Promise((next) => setTimeout(next, 5))
  }
  expect(calls.length - tries).toBeLessThanOrEqual(1)

  noteSignal(false)
  const later = performance.now() + 10_000
  vi.spyOn(performance, 'now').mockReturnValue(later)
  serve({ 'PUT /vehicles/7': saved(7) })
  noteSignal(true)
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']), 200)
})

test('the work of another person stays theirs: it is counted, not shown, and sent when they sign in again', async () => {
  serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')) })
  await (await page()).save(work(7, 'ok'), 'key-7')

  const calls = serve({ 'PUT /vehicles/7': saved(7) })
  const theirs = await page(OTHER)
  start(theirs)
  await vi.waitFor(() => expect(theirs.box.get()).toMatchObject({ entries: [], others: 1 }))
  expect(calls).toEqual([])

  const mine = await page()
  start(mine)
  await vi.waitFor(() => expect(mine.states()).toEqual(['7 done']))
  expect(calls[0]?.headers.get('authorization')).toBe('Bearer token of 1003')
})

test('who waits is asked about a conflict and keeps nothing; what nobody waits for keeps both, under a new key', async () => {
  const stale = reply(409, { code: 'STALE_VERSION', message: 'old', details: [saved(7, 'ng')] })
  serve({ 'PUT /vehicles/7': stale })
  const phone = await page()
  await expect(phone.save(work(7, 'ok'), 'key-1')).rejects.toMatchObject({ code: 'STALE_VERSION' })
  expect(phone.states()).toEqual([])

  serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')) })
  await phone.save(work(7, 'ok'), 'key-2')
  const calls = serve({ 'PUT /vehicles/7': ({ body }) => ((body as { on_conflict: string }).on_conflict === 'ask' ? stale : saved(7)) })
  const later = await page()
  start(later)
  await vi.waitFor(() => expect(later.states()).toEqual(['7 done']))
  expect(calls.map(({ body }) => (body as { on_conflict: string }).on_conflict)).toEqual(['ask', 'keep'])
  const keys = calls.map(({ headers }) => headers.get('idempotency-key'))
  expect([keys[0], keys[1] === keys[0]]).toEqual(['key-2', false])
})

test('a save that is refused later stays with its reason and lets the next one through', async () => {
  serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')), 'PUT /vehicles/8': () => Promise.reject(new Error('no network')) })
  const phone = await page()
  await phone.save(work(7, 'ok'), 'key-7')
  await phone.save(work(8, 'ok'), 'key-8')
  serve({ 'PUT /vehicles/7': reply(409, { code: 'CAMPAIGN_CLOSED', message: 'campaign 5 is closed' }), 'PUT /vehicles/8': saved(8) })
  const later = await page()
  start(later)
  await vi.waitFor(() => expect(later.states()).toEqual(['7 refused', '8 done']))
  expect(later.box.get().entries[0]?.reason).toEqual({ status: 409, code: 'CAMPAIGN_CLOSED', message: 'campaign 5 is closed' })
})

test('a session that has ended keeps what waits for the next one', async () => {
  serve({ 'PUT /vehicles/7': reply(401, { code: 'NOT_SIGNED_IN', message: '' }) })
  const phone = await page()
  expect((await phone.save(work(7, 'ok'), 'key-7')).kind).toBe('kept')
  expect(phone.currentSession()).toBeNull()
  const calls = serve({ 'PUT /vehicles/7': saved(7) })
  const again = await page()
  start(again)
  await vi.waitFor(() => expect(again.states()).toEqual(['7 done']))
  expect(calls).toHaveLength(1)
})

test('a full disk: saved at once on the server, or refused in words; nothing is said to be kept', async () => {
  vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  serve({ 'PUT /vehicles/7': saved(7) })
  const phone = await page()
  expect((await phone.save(work(7, 'ok'), 'key-7')).kind).toBe('saved')
  serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')) })
  await expect(phone.save(work(7, 'ok'), 'key-7')).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(phone.states()).toEqual([])
})

test('a browser without a disk says so instead of keeping', async () => {
  vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('no', 'SecurityError')
  })
  serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')) })
  const phone = await page()
  expect(phone.box.get().works).toBe(false)
  await expect(phone.save(work(7, 'ok'), 'key-7')).rejects.toMatchObject({ code: 'NO_DISK' })
})

test('an edited save takes the place of the one before', async () => {
  serve({ 'PUT /vehicles/7': () => Promise.reject(new Error('no network')) })
  const phone = await page()
  await phone.save(work(7, 'ok'), 'key-1')
  const first = phone.box.get().entries[0]?.seq ?? null
  await phone.save(work(7, 'ng', { replaces: first }), 'key-2')
  expect(phone.box.get().entries.map(({ key }) => key)).toEqual(['key-2'])
})

test('an edit of a save that was sent meanwhile starts from what that one left', async () => {
  serve({ 'PUT /vehicles/7': saved(7) })
  const phone = await page()
  await phone.save(work(7, 'ok'), 'key-1')
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  const calls = serve({ 'PUT /vehicles/7': saved(7, 'ng') })
  await phone.save(work(7, 'ng', { replaces: phone.box.get().entries[0]?.seq ?? null }), 'key-2')
  expect(calls[0]?.body).toMatchObject({ status: 'ng', base: { status: 'ok' } })
})

const entry = (vehicle: number, status: string, part: Partial<Entry> = {}): Entry => ({ ...entryOf(work(vehicle, status), 'key'), ...part })

test('what was saved here lies over what the server says, in order, and counts once a vehicle', () => {
  const pending = pendingOf([entry(7, 'ng'), entry(7, 'Repair', { inspected: true }), entry(8, 'ok', { state: 'refused' }), entry(9, 'ok', { stands_in: 4 })])
  expect(overlaid({ id: 7, status: '', inspected: false, version: 1 }, pending.get(7) ?? [])).toEqual({ id: 7, status: 'Repair', inspected: true, version: 1 })
  const list = [{ id: 7, status: '', inspected: false }, { id: 8, status: '', inspected: false }]
  expect(overlaidList(list, pending)).toEqual([{ id: 7, status: 'Repair', inspected: true }, list[1]])
  expect(overlaidList(list, new Map())).toBe(list)
  expect([uncounted(pending, 5, null), uncounted(pending, 5, 4), uncounted(pending, 6, null)]).toEqual([2, 1, 0])
})

test('tries are spread out and never further apart than some seconds', () => {
  expect([restAfter(1, 0), restAfter(1, 1), restAfter(3, 1), restAfter(30, 1)]).toEqual([400, 800, 3200, 6000])
})

test.each([
  [0, 'OFFLINE', 'keep', 'again'], [503, 'UNAVAILABLE', 'keep', 'again'], [500, 'INTERNAL', 'ask', 'again'], [429, 'BUSY', 'ask', 'again'], [401, 'NOT_SIGNED_IN', 'keep', 'ended'],
  [409, 'STALE_VERSION', 'ask', 'stale'], [409, 'STALE_VERSION', 'keep', 'refused'], [409, 'CAMPAIGN_CLOSED', 'ask', 'refused'], [404, 'NO_VEHICLE', 'keep', 'refused'], [422, 'STATUS_NOT_ALLOWED', 'keep', 'refused'],
] as const)('%i %s on a save that would %s: %s', (status, code, mode, verdict) => {
  expect(verdictOn(status, code, mode)).toBe(verdict)
})
