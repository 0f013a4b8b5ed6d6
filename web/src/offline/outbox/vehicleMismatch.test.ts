import { expect, test, vi } from 'vitest'
import { createReply, stubServer } from '@/testing/server'
import { OWN_USER, rejectAsOffline, createSavedVehicle, openTab, setUpDatabase, createSaveRequest } from '@/testing/outboxTabs'
import { applyPendingSavesToVehicle } from './pendingSave'
import { createPendingSave } from './saveRequest'

setUpDatabase()

const isAnother = (vin_number: string | undefined) => createReply(409, { code: 'OTHER_VEHICLE', message: 'not the one that was seen', vin_number })
const gone = createReply(404, { code: 'NO_VEHICLE', message: 'Vehicle not found. It may have been deleted.' })
const puts = (calls: ReturnType<typeof stubServer>) => calls.filter(({ name }) => name === 'PUT /vehicles/7')
const SEEN = 'HB20 000007'
const NEW = 'NEW7 000000'

/** Returns a tab whose save of vehicle 7 is pending because the tab is offline. */
async function queued() {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'PUT /vehicles/8': rejectAsOffline })
  const phone = await openTab()
  await phone.outbox.save(createSaveRequest(7), 'key-7')
  return phone
}

/** Returns a tab whose save the server has rejected, because another vehicle has the id. */
async function asked() {
  await queued()
  stubServer({ 'PUT /vehicles/7': isAnother(NEW) })
  const phone = await openTab()
  phone.outbox.start()
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 refused']))
  const [entry] = phone.outboxState.get().entries
  if (entry === undefined) throw new Error('no save')
  return { phone, entry }
}

test('a save sends the identifier that the person saw, also when it changes the identifier', async () => {
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  const phone = await openTab({ ...OWN_USER, user_type: 'admin' })
  await phone.outbox.save(createSaveRequest(7), 'key-1')
  await phone.outbox.save(createSaveRequest(7, { change: { base: { vin_number: SEEN }, wanted: { vin_number: NEW } } }), 'key-2')
  expect(puts(calls).map(({ body }) => body)).toMatchObject([{ seen_vin_number: SEEN, status: 'ng' }, { seen_vin_number: SEEN, vin_number: NEW, base: { vin_number: SEEN } }])
})

test('an edit of a save that has meanwhile changed the identifier sends the changed one', async () => {
  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  const phone = await openTab({ ...OWN_USER, user_type: 'admin' })
  await phone.outbox.save(createSaveRequest(7, { change: { base: { vin_number: SEEN }, wanted: { vin_number: NEW } } }), 'key-1')
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  await phone.outbox.save(createSaveRequest(7, { replaces: phone.outboxState.get().entries[0]?.seq ?? null }), 'key-2')
  expect(puts(calls)[0]?.body).toMatchObject({ seen_vin_number: NEW })
})

test('a save rejected for another vehicle stays encrypted in the outbox, does not block the next save, and is not retried automatically', async () => {
  await (await queued()).outbox.save(createSaveRequest(8), 'key-8')
  const calls = stubServer({ 'PUT /vehicles/7': isAnother(NEW), 'PUT /vehicles/8': createSavedVehicle(8) })
  const phone = await openTab()
  phone.outbox.start()
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 refused', '8 done']))
  await phone.outbox.flush()
  window.dispatchEvent(new Event('online'))
  await phone.outbox.flush()
  expect(puts(calls)).toHaveLength(1)
  const [entry] = phone.outboxState.get().entries
  expect(entry).toMatchObject({ vin: SEEN, space: 'A-7', change: { wanted: { status: 'ng', operator_notes: 'a secret note' } }, reason: { status: 409, code: 'OTHER_VEHICLE', vin_number: NEW } })
  expect(phone.retained.map(phone.getMismatchedServerVin)).toEqual([NEW])
  expect(new TextDecoder('latin1').decode((await phone.first()).sealed)).not.toContain('NEW7')

  const later = await openTab()
  later.outbox.start()
  await vi.waitFor(() => expect(later.outboxState.get().canStore).toBe(true))
  await later.outbox.flush()
  expect([puts(calls).length, later.states()[0]]).toEqual([1, '7 refused'])
})

test('a save rejected for another vehicle stays in the outbox while its screen waits, and the screen learns its position', async () => {
  stubServer({ 'PUT /vehicles/7': isAnother(NEW) })
  const phone = await openTab()
  const refusal: unknown = await phone.outbox.save(createSaveRequest(7), 'key-7').catch((error: unknown) => error)
  const [entry] = phone.outboxState.get().entries
  expect(phone.states()).toEqual(['7 refused'])
  expect(refusal).toBeInstanceOf(phone.RejectedSaveError)
  expect(refusal).toMatchObject({ code: 'OTHER_VEHICLE', seq: entry?.seq })
  expect(phone.retained).toEqual([])
})

test('a confirmed save is sent once to the vehicle that the server has, and carries that identifier afterwards', async () => {
  const { phone, entry } = await asked()
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  await phone.outbox.retryForCurrentVehicle(entry)
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  expect(puts(calls).map(({ headers, json }) => [headers.get('idempotency-key'), json.seen_vin_number])).toEqual([['key-7', NEW]])
  expect(phone.outboxState.get().entries[0]).toMatchObject({ vin: NEW, reason: null })
})

test('a confirmed save is rejected again when a third vehicle has the id by then', async () => {
  const { phone, entry } = await asked()
  stubServer({ 'PUT /vehicles/7': isAnother('GOL 000003') })
  await phone.outbox.retryForCurrentVehicle(entry)
  await vi.waitFor(() => expect(phone.outboxState.get().entries[0]).toMatchObject({ vin: NEW, state: 'refused', reason: { vin_number: 'GOL 000003' } }))
})

test('one answer counts for all saves of the replaced vehicle, in the order of sending, and for no other save', async () => {
  const offline = await queued()
  await offline.outbox.save(createSaveRequest(7, { change: { base: { status: 'ng' }, wanted: { status: 'ok' } } }), 'key-7b')
  await offline.outbox.save(createSaveRequest(8), 'key-8')
  stubServer({ 'PUT /vehicles/7': isAnother(NEW), 'PUT /vehicles/8': isAnother('GOL 000008') })
  const phone = await openTab()
  phone.outbox.start()
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 refused', '7 refused', '8 refused']))
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7), 'PUT /vehicles/8': createSavedVehicle(8) })
  const [entry] = phone.outboxState.get().entries
  if (entry === undefined) throw new Error('no save')
  await phone.outbox.retryForCurrentVehicle(entry)
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done', '7 done', '8 refused']))
  expect(calls.filter(({ name }) => name.startsWith('PUT')).map(({ headers, json }) => [headers.get('idempotency-key'), json.seen_vin_number])).toEqual([['key-7', NEW], ['key-7b', NEW]])
})

test('a rejection that does not name the other vehicle is handled like any other', async () => {
  await queued()
  stubServer({ 'PUT /vehicles/7': isAnother(undefined) })
  const phone = await openTab()
  phone.outbox.start()
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 refused']))
  expect(phone.outboxState.get().entries.map(phone.getMismatchedServerVin)).toEqual([null])
})

test.each([['while its screen waits', true], ['later', false]])('a save of a deleted vehicle keeps everything that was typed until it is discarded, %s', async (_, isWaitedFor) => {
  if (isWaitedFor) {
    stubServer({ 'PUT /vehicles/7': gone })
    await expect((await openTab()).outbox.save(createSaveRequest(7), 'key-7')).rejects.toMatchObject({ code: 'NO_VEHICLE' })
  } else await queued()
  stubServer({ 'PUT /vehicles/7': gone })
  const phone = await openTab()
  phone.outbox.start()
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 refused']))
  expect(phone.outboxState.get().entries[0]).toMatchObject({ vin: SEEN, space: 'A-7', campaign_name: 'Airbag', change: { wanted: { status: 'ng', operator_notes: 'a secret note' } }, reason: { status: 404, code: 'NO_VEHICLE' } })
  await phone.deleteOutboxEntry(phone.outboxState.get().entries[0]?.seq ?? 0)
  expect(phone.states()).toEqual([])
})

test('pending saves are applied to the vehicle that the person saw, never to another one with the same id', () => {
  const own = createPendingSave(createSaveRequest(7), 'key')
  expect(applyPendingSavesToVehicle({ id: 7, vin_number: SEEN, status: '', inspected: false }, [own])).toMatchObject({ status: 'ng', inspected: true })
  expect(applyPendingSavesToVehicle({ id: 7, vin_number: NEW, status: '', inspected: false }, [own])).toEqual({ id: 7, vin_number: NEW, status: '', inspected: false })
  const renamed = createPendingSave(createSaveRequest(7, { change: { base: { vin_number: SEEN }, wanted: { vin_number: NEW } } }), 'key')
  const next = createPendingSave(createSaveRequest(7, { vin: NEW }), 'key')
  expect(applyPendingSavesToVehicle({ id: 7, vin_number: SEEN, status: '', inspected: false }, [renamed, next])).toMatchObject({ vin_number: NEW, status: 'ng' })
})
