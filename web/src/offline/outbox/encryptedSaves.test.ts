import { expect, test, vi } from 'vitest'
import { createReply, stubServer } from '@/testing/server'
import { rejectAsOffline, OTHER_USER, createSavedVehicle, openTab, setUpDatabase, createSaveRequest } from '@/testing/outboxTabs'
import { encryptSave } from './encryption'

setUpDatabase()

test('saves are encrypted and sent on a page loaded over http, where browsers offer no cipher', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  expect((await phone.outbox.save(createSaveRequest(7), 'key-7')).kind).toBe('queued')
  expect(new TextDecoder('latin1').decode((await phone.first()).sealed)).not.toContain('secret')
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  await phone.outbox.flush()
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  expect(calls[0]?.body).toMatchObject({ operator_notes: 'a secret note' })
})

test('while the cipher cannot be loaded nothing is stored, and a save is sent at once', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  vi.doMock('@noble/ciphers/aes.js', () => {
    throw new Error('not loaded')
  })
  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  const phone = await openTab()
  expect(phone.outboxState.get().canStore).toBe(false)
  expect((await phone.outbox.save(createSaveRequest(7), 'key-7')).kind).toBe('saved')
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  await expect(phone.outbox.save(createSaveRequest(7), 'key-8')).rejects.toMatchObject({ code: 'NO_DISK' })
  vi.doUnmock('@noble/ciphers/aes.js')
  await phone.loadOutbox()
  expect(phone.outboxState.get().canStore).toBe(true)
})

test('a save of a person who has signed out is neither stored nor sent', async () => {
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  const phone = await openTab(OTHER_USER)
  await expect(phone.outbox.save(createSaveRequest(7), 'key-7')).rejects.toMatchObject({ status: 401 })
  phone.endSessionAndKeepData()
  await expect(phone.outbox.save(createSaveRequest(7), 'key-7')).rejects.toMatchObject({ status: 401 })
  expect([calls, await phone.records()]).toEqual([[], []])
})

test('a save that reaches the server while its owner signs out is deleted from the device', async () => {
  let arrive: (answer: object) => void = () => undefined
  const answer = new Promise<object>((resolve) => {
    arrive = resolve
  })
  stubServer({ 'PUT /vehicles/7': () => answer })
  const phone = await openTab()
  const sending = phone.outbox.save(createSaveRequest(7), 'key-7')
  await vi.waitFor(() => expect(phone.outbox.sending.get()).not.toBeNull())
  phone.endSessionAndClearData()
  arrive(createSavedVehicle(7))
  await sending
  await vi.waitFor(async () => expect(await phone.records()).toEqual([]))
})

test('a position in the outbox is never assigned twice, because a draft may still refer to it', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'PUT /vehicles/8': rejectAsOffline })
  const phone = await openTab()
  await phone.outbox.save(createSaveRequest(7), 'key-7')
  const { seq } = await phone.first()
  await phone.deleteOutboxEntry(seq)
  await phone.outbox.save(createSaveRequest(8), 'key-8')
  expect((await phone.first()).seq).toBeGreaterThan(seq)
})

test('an edit notices that the edited save was sent while the edit was being encrypted', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  await phone.outbox.save(createSaveRequest(7), 'key-1')
  const [old] = phone.outboxState.get().entries
  const session = phone.getCurrentSession()
  if (old === undefined || session === null) throw new Error('no save')
  const { encrypt } = crypto.subtle
  const real = encrypt.bind(crypto.subtle)
  vi.spyOn(crypto.subtle, 'encrypt').mockImplementationOnce(async (...args) => {
    await phone.database?.put('outbox', await encryptSave({ ...old, state: 'done', done_at: Date.now() }, session))
    return await real(...args)
  })
  await phone.outbox.save(createSaveRequest(7, { replaces: old.seq, change: { base: { status: '' }, wanted: { status: 'ok' } } }), 'key-2')
  expect(phone.states()).toEqual(['7 done', '7 waiting'])
  expect(phone.outboxState.get().entries[1]).toMatchObject({ replaces: null, change: { base: { status: 'ng' }, wanted: { status: 'ok' } } })
})

test('saves stay pending while a new password is required', async () => {
  stubServer({ 'PUT /vehicles/7': createReply(403, { code: 'PASSWORD_MUST_CHANGE', message: '' }) })
  const phone = await openTab()
  expect((await phone.outbox.save(createSaveRequest(7), 'key-7')).kind).toBe('queued')
  expect(phone.states()).toEqual(['7 waiting'])
})

test('sent saves are deleted after three days, those of other people three days after they were made', async () => {
  const DAY = 86_400_000
  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7), 'PUT /vehicles/8': createSavedVehicle(8) })
  const theirs = await openTab(OTHER_USER)
  await theirs.outbox.save(createSaveRequest(7, { owner: '9', hmc: '1009' }), 'key-7')
  await vi.waitFor(() => expect(theirs.states()).toEqual(['7 done']))
  const phone = await openTab()
  await phone.outbox.save(createSaveRequest(8), 'key-8')
  await vi.waitFor(() => expect(phone.states()).toEqual(['8 done']))
  const [own, session] = [phone.outboxState.get().entries[0], phone.getCurrentSession()]
  if (own === undefined || session === null) throw new Error('no save')
  await phone.putEntry({ ...own, done_at: Date.now() + DAY }, session)
  const owners = async () => (await phone.records()).map(({ owner }) => owner)
  await phone.deleteOldSentSaves(Date.now() + 2 * DAY, session)
  expect(await owners()).toEqual(['9', '3'])
  await phone.deleteOldSentSaves(Date.now() + 3.5 * DAY, session)
  expect(await owners()).toEqual(['3'])
  await phone.deleteOldSentSaves(Date.now() + 4.5 * DAY, session)
  expect(await owners()).toEqual([])
})
