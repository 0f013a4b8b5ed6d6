import { expect, test, vi } from 'vitest'
import { stubServer } from '@/testing/server'
import { rejectAsOffline, OTHER_USER, createSavedVehicle, openTab, setUpDatabase, createSaveRequest } from '@/testing/outboxTabs'
import { createSession } from '@/testing/renderPage'
import { createFake } from '@/testing/createFake'
import type { EncryptedSave } from '../schema'
import { encryptSave } from './encryption'

setUpDatabase()

test('only the fields that count a save are readable on the device', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  await phone.outbox.save(createSaveRequest(7), 'key-7')
  const [record] = await phone.records()
  expect(Object.keys(record ?? {}).toSorted()).toEqual(['at', 'id', 'owner', 'sealed', 'seq', 'state'])
  const text = new TextDecoder('latin1').decode(record?.sealed)
  for (const secret of ['HB20', '000007', '1003', 'secret', 'Airbag', 'status', 'key-7']) expect(text).not.toContain(secret)
  expect(phone.outboxState.get().entries[0]).toMatchObject({ vin: 'HB20 000007', change: { wanted: { operator_notes: 'a secret note' } } })
})

const tamper: [string, (record: EncryptedSave) => EncryptedSave][] = [
  ['its state', (record) => ({ ...record, state: 'refused' })],
  ['its state, to hide it', (record) => ({ ...record, state: 'done' })],
  ['its id', (record) => ({ ...record, id: 'another' })],
  ['its time', (record) => ({ ...record, at: Number.NaN })],
  ['its content', (record) => ({ ...record, sealed: record.sealed.toReversed() })],
  ['all of it', (record) => createFake<EncryptedSave>({ seq: record.seq, owner: '3', state: 'waiting' })],
]

test.each(tamper)('a save with %s changed by hand is never sent, is listed for its owner, and does not block other saves', async (_, change) => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'PUT /vehicles/8': rejectAsOffline })
  const before = await openTab()
  await before.outbox.save(createSaveRequest(7), 'key-7')
  await before.outbox.save(createSaveRequest(8), 'key-8')
  const record = await before.first()
  await before.database?.put('outbox', change(record))

  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7), 'PUT /vehicles/8': createSavedVehicle(8) })
  const phone = await openTab()
  phone.outbox.start()
  await vi.waitFor(() => expect(phone.states()).toEqual(['8 done']))
  expect(calls.map(({ name }) => name).filter((name) => name.startsWith('PUT /vehicles'))).toEqual(['PUT /vehicles/8'])
  expect(phone.outboxState.get().undecryptable).toEqual([record.seq])
  expect(phone.pendingSaveCount.get()).toMatchObject({ open: 1, refused: 1 })
  await phone.deleteOutboxEntry(record.seq)
  expect(phone.outboxState.get().undecryptable).toEqual([])
})

test('records that were swapped are not sent', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'PUT /vehicles/8': rejectAsOffline })
  const before = await openTab()
  await before.outbox.save(createSaveRequest(7), 'key-7')
  await before.outbox.save(createSaveRequest(8), 'key-8')
  const [one, two] = await before.records()
  if (one === undefined || two === undefined) throw new Error('two saves are missing')
  await before.database?.put('outbox', { ...one, seq: two.seq })
  await before.database?.put('outbox', { ...two, seq: one.seq })
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7), 'PUT /vehicles/8': createSavedVehicle(8) })
  const phone = await openTab()
  phone.outbox.start()
  await vi.waitFor(() => expect(phone.outboxState.get().undecryptable).toHaveLength(2))
  await phone.outbox.flush()
  expect(calls.filter(({ name }) => name.startsWith('PUT /vehicles'))).toEqual([])
})

test('records that another person has added under the name of the owner are never sent', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const theirs = await openTab(OTHER_USER)
  await theirs.outbox.save(createSaveRequest(7, { owner: '9', hmc: '1009' }), 'key-7')
  const own = await theirs.first()
  const { seq: _, ...copy } = own
  await theirs.database?.add('outbox', createFake<EncryptedSave>({ ...copy, owner: '3' }))
  const place = own.seq + 5
  const content = { ...createSaveRequest(8), seq: place, id: 'forged', key: 'key-8', device_time: '', at: 1, mode: 'ask' as const, state: 'waiting' as const, reason: null, conflicts: [], done_at: null }
  const forged = await encryptSave({ ...content, owner: '9' }, createSession(OTHER_USER))
  await theirs.database?.put('outbox', { ...forged, owner: '3' })

  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7), 'PUT /vehicles/8': createSavedVehicle(8) })
  const mine = await openTab()
  mine.outbox.start()
  await vi.waitFor(() => expect(mine.outboxState.get()).toMatchObject({ entries: [], others: 1 }))
  expect(mine.outboxState.get().undecryptable).toHaveLength(2)
  await mine.outbox.flush()
  expect(calls.filter(({ name }) => name.startsWith('PUT /vehicles'))).toEqual([])
})

test('another person cannot claim a save as their own', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const mine = await openTab()
  await mine.outbox.save(createSaveRequest(7), 'key-7')
  await mine.database?.put('outbox', { ...(await mine.first()), owner: '9' })
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  const theirs = await openTab(OTHER_USER)
  theirs.outbox.start()
  await vi.waitFor(() => expect(theirs.outboxState.get().undecryptable).toHaveLength(1))
  await theirs.outbox.flush()
  expect([theirs.outboxState.get().entries, calls.filter(({ name }) => name.startsWith('PUT /vehicles'))]).toEqual([[], []])
})

test('two tabs of two people store and send their own saves', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'PUT /vehicles/8': rejectAsOffline })
  const [mine, theirs] = [await openTab(), await openTab(OTHER_USER, () => {})]
  await Promise.all([mine.outbox.save(createSaveRequest(7), 'key-7'), theirs.outbox.save(createSaveRequest(8, { owner: '9', hmc: '1009' }), 'key-8')])
  await vi.waitFor(() => expect([mine.states(), mine.outboxState.get().others, theirs.states(), theirs.outboxState.get().others]).toEqual([['7 waiting'], 1, ['8 waiting'], 1]))
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7), 'PUT /vehicles/8': createSavedVehicle(8) })
  await Promise.all([mine.outbox.flush(), theirs.outbox.flush()])
  await vi.waitFor(() => expect([mine.states(), theirs.states()]).toEqual([['7 done'], ['8 done']]))
  expect(calls.map(({ name, headers }) => `${name} ${headers.get('authorization')}`).toSorted()).toEqual(['PUT /vehicles/7 Bearer token of 1003', 'PUT /vehicles/8 Bearer token of 1009'])
  expect([mine.outboxState.get().undecryptable, theirs.outboxState.get().undecryptable]).toEqual([[], []])
})
