import './indexedDb'
import { IDBFactory } from 'fake-indexeddb'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, vi } from 'vitest'
import type { OutboxEntry, SaveRequest } from '@/offline/outbox'
import { createSession } from './renderPage'

export const OWN_USER = { id: 3, hmc: '1003', user_type: 'op' }
export const OTHER_USER = { id: 9, hmc: '1009', user_type: 'op' }
export const rejectAsOffline = () => Promise.reject(new Error('no network'))

/** Returns a save of `OWN_USER` with a note. */
export const createSaveRequest = (vehicle: number, part: Partial<SaveRequest> = {}): SaveRequest => ({
  owner: '3', hmc: '1003', vehicle, vin: `HB20 00000${vehicle}`, space: `A-${vehicle}`, campaign: 5, campaign_name: 'Airbag', yard: null, stands_in: 2,
  version: 1, change: { base: { status: '', operator_notes: '' }, wanted: { status: 'ng', operator_notes: 'a secret note' } }, inspected: false, origin: 'typed', replaces: null, held: false, ...part,
})
export const createSavedVehicle = (id: number, status = 'ng') => ({ id, status, inspected: true, campaign_id: 5, version: 2 })

const openTabs: (() => void)[] = []
const closeTabs = () => {
  for (const close of openTabs.splice(0)) close()
}

/** Gives each test of a file an empty database, and signs out of its tabs afterwards. */
export function setUpDatabase(): void {
  beforeEach(() => {
    indexedDB = new IDBFactory()
  })
  afterEach(() => {
    closeTabs()
    vi.restoreAllMocks()
  })
}

/** Loads the modules again, like a tab that has just been opened. Tabs share the database. By default, `before` closes the earlier tabs. */
export async function openTab(user = OWN_USER, beforeOpening = closeTabs) {
  beforeOpening()
  vi.resetModules()
  const [{ Outbox, ...rest }, session, { updateOutboxEntry, deleteOldSentSaves }, { openDatabase }, { pendingSaveCount }, { setServerReachable }] = [
    await import('@/offline/outbox'), await import('@/api/session'), await import('@/offline/outbox/store'), await import('@/offline/database'), await import('@/offline/pendingSaveCount'), await import('@/api/connectivity'),
  ]
  session.startSession(createSession(user))
  openTabs.push(session.endSessionAndKeepData)
  await rest.loadOutbox()
  const database = await openDatabase()
  const retained: OutboxEntry[] = []
  const outbox = new Outbox(new QueryClient(), (entry) => retained.push(entry))
  const records = async () => (await database?.getAll('outbox')) ?? []
  return {
    ...rest, ...session, outbox, putEntry: updateOutboxEntry, deleteOldSentSaves, database, pendingSaveCount, setServerReachable, retained, records,
    first: async () => {
      const [record] = await records()
      if (record === undefined) throw new Error('the outbox is empty')
      return record
    },
    states: () => rest.outboxState.get().entries.map(({ vehicle, state }) => `${vehicle} ${state}`),
  }
}
