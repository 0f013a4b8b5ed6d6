import { expect, test, vi } from 'vitest'
import { OPERATOR, createSession, SUPERVISOR } from '@/testing/renderPage'
import { createFake } from '@/testing/createFake'
import type { EncryptedSave } from '../schema'
import type { OutboxEntry } from './pendingSave'
import { encryptSave, decryptSave } from './encryption'

const SECRETS = ['HB20 000007', '1003', 'a note', 'Airbag', 'key-7', 'Repair']
const entry: OutboxEntry = {
  seq: 4, id: 'id-7', key: 'key-7', owner: '3', hmc: '1003', vehicle: 7, vin: 'HB20 000007', space: 'A-7', campaign: 5, campaign_name: 'Airbag', yard: null, stands_in: 2, version: 1,
  change: { base: { status: '' }, wanted: { status: 'Repair', operator_notes: 'a note' } }, inspected: false, origin: 'typed', replaces: null, held: false,
  device_time: '2026-11-27T12:00:00.000Z', at: 1_764_244_800_000, mode: 'ask', state: 'waiting', reason: null, conflicts: [], done_at: null,
}

/** Removes the browser's cipher, as on a page that was loaded over http. */
const withoutSubtle = () => vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })

test.each([['with the cipher of the browser', () => {}], ['over plain http', withoutSubtle]])('%s a save can only be decrypted with the key of its owner', async (_, prepare) => {
  prepare()
  const record = await encryptSave(entry, createSession(OPERATOR))
  const { sealed, ...readable } = record
  expect(readable).toEqual({ seq: 4, id: 'id-7', owner: '3', state: 'waiting', at: entry.at })
  const text = new TextDecoder('latin1').decode(sealed)
  for (const secret of SECRETS) expect(text).not.toContain(secret)
  expect(await decryptSave(record, createSession(OPERATOR))).toEqual(entry)
  expect(await decryptSave(record, createSession(SUPERVISOR))).toBeNull()
})

test('each cipher decrypts what the other one has encrypted', async () => {
  const ofBrowser = await encryptSave(entry, createSession(OPERATOR))
  withoutSubtle()
  const inScript = await encryptSave(entry, createSession(OPERATOR))
  expect(await decryptSave(ofBrowser, createSession(OPERATOR))).toEqual(entry)
  vi.unstubAllGlobals()
  expect(await decryptSave(inScript, createSession(OPERATOR))).toEqual(entry)
})

test('encrypting the same save twice gives different bytes', async () => {
  const [one, other] = [await encryptSave(entry, createSession(OPERATOR)), await encryptSave(entry, createSession(OPERATOR))]
  expect(one.sealed).not.toEqual(other.sealed)
})

const CHANGES: Partial<Record<keyof EncryptedSave, unknown>>[] = [{ seq: 5 }, { id: 'id-8' }, { owner: '2' }, { owner: 3 }, { state: 'done' }, { at: 1 }, { sealed: new Uint8Array() }, { sealed: 'text' }, { sealed: undefined }]

test.each(CHANGES)('a record whose readable fields were changed to %j cannot be decrypted', async (change) => {
  const record = await encryptSave(entry, createSession(OPERATOR))
  expect(await decryptSave(createFake<EncryptedSave>({ ...record, ...change }), createSession(OPERATOR))).toBeNull()
})

test('a record is decrypted once, and again when it has changed', async () => {
  const session = createSession(OPERATOR)
  const record = await encryptSave(entry, session)
  const decrypt = vi.spyOn(crypto.subtle, 'decrypt')
  expect(await decryptSave(record, session)).toEqual(entry)
  expect(await decryptSave({ ...record, sealed: record.sealed.slice() }, session)).toEqual(entry)
  expect(decrypt).toHaveBeenCalledTimes(1)
  for (const change of CHANGES) expect(await decryptSave(createFake<EncryptedSave>({ ...record, ...change }), session)).toBeNull()
  const other = await encryptSave({ ...entry, vin: 'HB20 000008' }, session)
  expect(await decryptSave(other, session)).toMatchObject({ vin: 'HB20 000008' })
  expect(await decryptSave(record, createSession(SUPERVISOR))).toBeNull()
})

test('a change of any byte is detected', async () => {
  const record = await encryptSave(entry, createSession(OPERATOR))
  for (const index of [0, 11, 12, record.sealed.length - 1]) {
    const sealed = record.sealed.slice()
    sealed[index] = (sealed[index] ?? 0) ^ 1
    expect(await decryptSave({ ...record, sealed }, createSession(OPERATOR))).toBeNull()
  }
})

test('a save cannot be encrypted under the name of another person', async () => {
  await expect(encryptSave(entry, createSession(SUPERVISOR))).rejects.toThrow('owner')
})
