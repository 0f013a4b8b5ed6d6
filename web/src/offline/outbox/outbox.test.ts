import { IDBObjectStore } from 'fake-indexeddb'
import { expect, test, vi } from 'vitest'
import { rejectAsOffline, OTHER_USER, createSavedVehicle, openTab, setUpDatabase, createSaveRequest } from '@/testing/outboxTabs'
import { createReply, stubServer } from '@/testing/server'
import { chooseSendFailureAction, countUnsentInspections, groupPendingSavesByVehicle, applyPendingSavesToVehicle, applyPendingSavesToList, type PendingSave } from './pendingSave'
import { createPendingSave, type SaveRequest } from './saveRequest'

setUpDatabase()

const request = (vehicle: number, status: string, part: Partial<SaveRequest> = {}): SaveRequest => createSaveRequest(vehicle, { change: { base: { status: '' }, wanted: { status } }, ...part })

test('a save is stored on the device before it is sent, and done when the server has it', async () => {
  const phone = await openTab()
  let onDisk: string[] = []
  const calls = stubServer({ 'PUT /vehicles/7': () => {
    onDisk = phone.states()
    return createSavedVehicle(7, 'ok')
  } })
  const result = await phone.outbox.save(request(7, 'ok'), 'key-1')
  expect([result.kind, onDisk]).toEqual(['saved', ['7 waiting']])
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  expect(calls[0]?.headers.get('idempotency-key')).toBe('key-1')
  expect(calls[0]?.body).toMatchObject({ status: 'ok', base: { status: '' }, on_conflict: 'ask', origin: 'typed' })
})

test('saves made offline are sent in order and once after the page was loaded again', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'PUT /vehicles/8': rejectAsOffline })
  const phone = await openTab()
  expect((await phone.outbox.save(request(7, 'ok'), 'key-7')).kind).toBe('queued')
  expect((await phone.outbox.save(request(8, 'ng', { origin: 'scanned' }), 'key-8')).kind).toBe('queued')

  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok'), 'PUT /vehicles/8': createSavedVehicle(8, 'ok') })
  const later = await openTab()
  later.outbox.start()
  await vi.waitFor(() => expect(later.states()).toEqual(['7 done', '8 done']))
  const saves = calls.filter(({ name }) => name.startsWith('PUT'))
  expect(saves.map(({ name, headers }) => `${name} ${headers.get('idempotency-key')}`)).toEqual(['PUT /vehicles/7 key-7', 'PUT /vehicles/8 key-8'])
  expect(saves[1]?.body).toMatchObject({ origin: 'scanned', status: 'ng' })
})

test('failed saves are not retried while the network flaps; after a pause they are sent as soon as the device is online', async () => {
  const calls = stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  phone.outbox.start()
  await phone.outbox.save(request(7, 'ok'), 'key-7')
  const tries = calls.length
  for (let read = 0; read < 20; read++) {
    phone.setServerReachable(false)
    phone.setServerReachable(true)
    await new Promise((next) => setTimeout(next, 5))
  }
  expect(calls.length - tries).toBeLessThanOrEqual(1)

  for (let failure = 0; failure < 5; failure++) await phone.outbox.flush() // the next retry is at least three seconds away
  phone.setServerReachable(false)
  const later = performance.now() + 10_000
  vi.spyOn(performance, 'now').mockReturnValue(later)
  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok') })
  phone.setServerReachable(true)
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']), 2000)
})

test('saves of another person are counted and not shown, and are sent when that person signs in again', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  await (await openTab()).outbox.save(request(7, 'ok'), 'key-7')

  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok') })
  const theirs = await openTab(OTHER_USER)
  theirs.outbox.start()
  await vi.waitFor(() => expect(theirs.outboxState.get()).toMatchObject({ entries: [], others: 1 }))
  expect(calls).toEqual([])

  const mine = await openTab()
  mine.outbox.start()
  await vi.waitFor(() => expect(mine.states()).toEqual(['7 done']))
  expect(calls[0]?.headers.get('authorization')).toBe('Bearer token of 1003')
})

test('a conflict is returned to a waiting screen; without one the server records the conflict, under a new idempotency key', async () => {
  const stale = createReply(409, { code: 'STALE_VERSION', message: 'old', details: [createSavedVehicle(7, 'ng')] })
  stubServer({ 'PUT /vehicles/7': stale })
  const phone = await openTab()
  await expect(phone.outbox.save(request(7, 'ok'), 'key-1')).rejects.toMatchObject({ code: 'STALE_VERSION' })
  expect(phone.states()).toEqual([])

  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  await phone.outbox.save(request(7, 'ok'), 'key-2')
  const calls = stubServer({ 'PUT /vehicles/7': ({ json }) => (json.on_conflict === 'ask' ? stale : createSavedVehicle(7, 'ok')) })
  const later = await openTab()
  later.outbox.start()
  await vi.waitFor(() => expect(later.states()).toEqual(['7 done']))
  expect(calls.map(({ json }) => json.on_conflict)).toEqual(['ask', 'keep'])
  const keys = calls.map(({ headers }) => headers.get('idempotency-key'))
  expect([keys[0], keys[1] === keys[0]]).toEqual(['key-2', false])
})

test('a save that is rejected later stays with its reason and does not block the next one', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'PUT /vehicles/8': rejectAsOffline })
  const phone = await openTab()
  await phone.outbox.save(request(7, 'ok'), 'key-7')
  await phone.outbox.save(request(8, 'ok'), 'key-8')
  stubServer({ 'PUT /vehicles/7': createReply(409, { code: 'CAMPAIGN_CLOSED', message: 'campaign 5 is closed' }), 'PUT /vehicles/8': createSavedVehicle(8, 'ok') })
  const later = await openTab()
  later.outbox.start()
  await vi.waitFor(() => expect(later.states()).toEqual(['7 refused', '8 done']))
  expect(later.outboxState.get().entries[0]?.reason).toEqual({ status: 409, code: 'CAMPAIGN_CLOSED', message: 'campaign 5 is closed' })
})

test('pending saves stay when the session ends, and are sent in the next session', async () => {
  stubServer({ 'PUT /vehicles/7': createReply(401, { code: 'NOT_SIGNED_IN', message: '' }) })
  const phone = await openTab()
  expect((await phone.outbox.save(request(7, 'ok'), 'key-7')).kind).toBe('queued')
  expect(phone.getCurrentSession()).toBeNull()
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok') })
  const again = await openTab()
  again.outbox.start()
  await vi.waitFor(() => expect(again.states()).toEqual(['7 done']))
  expect(calls).toHaveLength(1)
})

test('on a full device a save is sent at once, or fails with the reason', async () => {
  vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok') })
  const phone = await openTab()
  expect((await phone.outbox.save(request(7, 'ok'), 'key-7')).kind).toBe('saved')
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  await expect(phone.outbox.save(request(7, 'ok'), 'key-7')).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(phone.states()).toEqual([])
})

test('without a database a save that cannot be sent fails with the reason', async () => {
  vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('no', 'SecurityError')
  })
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  expect(phone.outboxState.get().canStore).toBe(false)
  await expect(phone.outbox.save(request(7, 'ok'), 'key-7')).rejects.toMatchObject({ code: 'NO_DISK' })
})

test('an edited save replaces the pending one', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  await phone.outbox.save(request(7, 'ok'), 'key-1')
  const first = phone.outboxState.get().entries[0]?.seq ?? null
  await phone.outbox.save(request(7, 'ng', { replaces: first }), 'key-2')
  expect(phone.outboxState.get().entries.map(({ key }) => key)).toEqual(['key-2'])
})

test('an edit of a save that was sent meanwhile starts from the values of that save', async () => {
  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok') })
  const phone = await openTab()
  await phone.outbox.save(request(7, 'ok'), 'key-1')
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ng') })
  await phone.outbox.save(request(7, 'ng', { replaces: phone.outboxState.get().entries[0]?.seq ?? null }), 'key-2')
  expect(calls[0]?.body).toMatchObject({ status: 'ng', base: { status: 'ok' } })
})

test('an edit of a save that was sent meanwhile takes back a field that only that save changed', async () => {
  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok') })
  const phone = await openTab()
  await phone.outbox.save(request(7, 'ok', { change: { base: { status: '', operator_notes: 'dent' }, wanted: { status: 'ok', operator_notes: 'wrong car' } } }), 'key-1')
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ng') })
  await phone.outbox.save(request(7, 'ng', { replaces: phone.outboxState.get().entries[0]?.seq ?? null }), 'key-2')
  expect(calls[0]?.body).toMatchObject({ status: 'ng', operator_notes: 'dent', base: { status: 'ok', operator_notes: 'wrong car' } })
})

test('an edit of a save that is being sent starts from the values of that save, which is not sent again', async () => {
  const phone = await openTab()
  let isFirst = true
  const calls = stubServer({ 'PUT /vehicles/7': async () => {
    if (!isFirst) return createSavedVehicle(7, 'ng')
    isFirst = false
    await vi.waitFor(() => expect(phone.states()).toEqual(['7 waiting']))
    void phone.outbox.save(request(7, 'ng', { replaces: phone.outboxState.get().entries[0]?.seq ?? null }), 'key-2')
    await vi.waitFor(() => expect(phone.outboxState.get().entries.map(({ key }) => key)).toEqual(['key-2']))
    return createSavedVehicle(7, 'ok')
  } })
  await phone.outbox.save(request(7, 'ok'), 'key-1')
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  expect(calls.map(({ headers, json }) => [headers.get('idempotency-key'), json.base])).toEqual([['key-1', { status: '' }], ['key-2', { status: 'ok' }]])
})

test('an edit of an edit, made while the first save is being sent, starts from the values of the first save', async () => {
  const phone = await openTab()
  let isFirst = true
  const seqOf = (key: string) => phone.outboxState.get().entries.find((saved) => saved.key === key)?.seq ?? null
  const calls = stubServer({ 'PUT /vehicles/7': async () => {
    if (!isFirst) return createSavedVehicle(7, 'ng')
    isFirst = false
    await vi.waitFor(() => expect(seqOf('key-1')).not.toBeNull())
    for (const [key, status, replaced] of [['key-2', 'Repair', 'key-1'], ['key-3', 'ng', 'key-2']] as const) {
      void phone.outbox.save(request(7, status, { replaces: seqOf(replaced) }), key)
      await vi.waitFor(() => expect(phone.outboxState.get().entries.map((saved) => saved.key)).toEqual([key]))
    }
    return createSavedVehicle(7, 'ok')
  } })
  await phone.outbox.save(request(7, 'ok'), 'key-1')
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  expect(calls.map(({ headers, json }) => [headers.get('idempotency-key'), json.base, json.status])).toEqual([['key-1', { status: '' }, 'ok'], ['key-3', { status: 'ok' }, 'ng']])
})

const entry = (vehicle: number, status: string, part: Partial<PendingSave> = {}): PendingSave => ({ ...createPendingSave(request(vehicle, status), 'key'), ...part })

test('pending saves are applied in order to the data of the server, and count once for each vehicle', () => {
  const pending = groupPendingSavesByVehicle([entry(7, 'ng'), entry(7, 'Repair', { inspected: true }), entry(8, 'ok', { state: 'refused' }), entry(9, 'ok', { stands_in: 4 })])
  expect(applyPendingSavesToVehicle({ id: 7, status: '', inspected: false, version: 1 }, pending.get(7) ?? [])).toEqual({ id: 7, status: 'Repair', inspected: true, version: 1 })
  const list = [{ id: 7, status: '', inspected: false }, { id: 8, status: '', inspected: false }]
  expect(applyPendingSavesToList(list, pending)).toEqual([{ id: 7, status: 'Repair', inspected: true }, list[1]])
  expect(applyPendingSavesToList(list, new Map())).toBe(list)
  expect([countUnsentInspections(pending, 5, null), countUnsentInspections(pending, 5, 4), countUnsentInspections(pending, 6, null), countUnsentInspections(pending, null, 4)]).toEqual([2, 1, 0, 1])
})

test.each([
  [0, 'OFFLINE', 'keep', 'retry'], [503, 'UNAVAILABLE', 'keep', 'retry'], [500, 'INTERNAL', 'ask', 'retry'], [429, 'BUSY', 'ask', 'retry'], [401, 'NOT_SIGNED_IN', 'keep', 'signedOut'],
  [409, 'STALE_VERSION', 'ask', 'outdatedVersion'], [409, 'STALE_VERSION', 'keep', 'refused'], [409, 'CAMPAIGN_CLOSED', 'ask', 'refused'], [404, 'NO_VEHICLE', 'keep', 'retained'], [409, 'OTHER_VEHICLE', 'ask', 'retained'], [404, 'HTTP_404', 'keep', 'retry'], [422, 'STATUS_NOT_ALLOWED', 'keep', 'refused'],
] as const)('%i %s on a save that would %s: %s', (status, code, mode, verdict) => {
  expect(chooseSendFailureAction(status, code, mode)).toBe(verdict)
})
