import '@/testing/indexedDb'
import { IDBFactory } from 'fake-indexeddb'
import { openDB } from 'idb'
import { beforeEach, expect, test, vi } from 'vitest'
import { rejectAsOffline, createSavedVehicle, openTab, setUpDatabase, createSaveRequest } from '@/testing/outboxTabs'
import { stubServer } from '@/testing/server'

const NAME = 'patio'

beforeEach(() => {
  vi.resetModules()
  indexedDB = new IDBFactory()
})
setUpDatabase()

test('a database of the version that did not encrypt saves loses them, and keeps its lists', async () => {
  const before = await openDB(NAME, 2, {
    upgrade(database) {
      database.createObjectStore('outbox', { keyPath: 'seq', autoIncrement: true }).createIndex('owner', 'owner')
      database.createObjectStore('taken', { keyPath: 'campaign' })
      database.createObjectStore('rows')
      database.createObjectStore('newer')
    },
  })
  await before.add('outbox', { owner: '3', vin: 'HB20 000007' })
  await before.add('taken', { campaign: 5, owner: '3' })
  before.close()
  const { openDatabase } = await import('./database')
  const now = await openDatabase()
  expect([await now?.count('outbox'), await now?.count('taken'), await now?.getAllFromIndex('outbox', 'owner', '3')]).toEqual([0, 1, []])
})

/** Opens the database as a tab with the next version of Patio does. */
const openAsNewerVersion = () => openDB(NAME, 4, { upgrade: () => undefined })

test('after a newer version in another tab has upgraded the database, this tab has to be reloaded', async () => {
  const phone = await openTab()
  const { databaseProblem } = await import('./database')
  expect([phone.outboxState.get().canStore, databaseProblem.get()]).toEqual([true, null])
  const newer = await openAsNewerVersion() // not blocked: this tab closes its connection
  await phone.loadOutbox()
  expect([phone.outboxState.get().canStore, databaseProblem.get()]).toEqual([false, 'outdated'])

  stubServer({ 'PUT /vehicles/7': createSavedVehicle(7) })
  expect((await phone.outbox.save(createSaveRequest(7), 'key-7')).kind).toBe('saved')
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  await expect(phone.outbox.save(createSaveRequest(7), 'key-8')).rejects.toMatchObject({ code: 'OUTDATED' })
  newer.close()
})

test('a tab that closed its connection for an upgrade that did not happen opens the database again', async () => {
  const phone = await openTab()
  const { databaseProblem } = await import('./database')
  const failed = openDB(NAME, 4, {
    upgrade(_database, _before, _wanted, transaction) {
      transaction.done.catch(() => undefined)
      transaction.abort()
    },
  })
  await expect(failed).rejects.toThrow()
  await phone.loadOutbox()
  expect([phone.outboxState.get().canStore, databaseProblem.get()]).toEqual([true, null])
})

test('a page in the back/forward cache aborts its transactions, which would block the next page, and continues when it is shown again', async () => {
  const { openDatabase } = await import('./database')
  const database = await openDatabase()
  if (database === null) throw new Error('no database')
  const enter = (persisted: boolean) => window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted }))
  const read = () => {
    const reading = database.transaction('outbox')
    return Promise.allSettled([reading.done, reading.objectStore('outbox').getAll()]).then(([{ status }]) => status)
  }
  const left = read()
  enter(false) // the browser ends the transactions of a page that it does not keep
  expect(await left).toBe('fulfilled')
  const before = read()
  enter(true)
  const during = database.transaction('outbox').done
  expect(await before).toBe('rejected')
  await expect(during).rejects.toThrow('AbortError')
  window.dispatchEvent(new Event('pageshow'))
  expect(await read()).toBe('fulfilled')
})
