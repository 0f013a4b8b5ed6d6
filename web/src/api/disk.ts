import { openDB, unwrap, type DBSchema, type IDBPDatabase } from 'idb'
import type { Entry } from './outbox/entry'
import type { Taken } from './taken/store'
import type { ListedVehicle } from './types'
import { createStore } from '@/lib/store'

/** What this browser keeps for its people on its own disk. */
interface Kept extends DBSchema {
  outbox: { key: number; value: Entry; indexes: { owner: string } }
  /** Lists taken along: what is known of each, its rows in parts, and rows that changed since. */
  taken: { key: number; value: Taken }
  rows: { key: [campaign: number, part: number]; value: string }
  newer: { key: [campaign: number, vehicle: number]; value: ListedVehicle }
}

export type Disk = IDBPDatabase<Kept>

const NAME = 'patio'
const VERSION = 2

let opened: Promise<Disk | null> | null = null

/** The disk, or null where the browser has none for us: some private modes, a damaged profile. */
export async function disk(): Promise<Disk | null> {
  const known = await reach()
  if (known === null || isOpen(known)) return known
  opened = null // the browser closed it without a word, as Safari does
  return await reach()
}

function reach(): Promise<Disk | null> {
  opened ??= open().catch(() => {
    opened = null // another try may find what this one did not
    return null
  })
  return opened
}

/** A transaction without requests ends by itself; a connection that was closed begins none. */
function isOpen(known: Disk): boolean {
  try {
    unwrap(known).transaction('outbox', 'readonly')
    return true
  } catch {
    return false
  }
}

/** Whether another tab with an older version keeps this one from its disk. */
export const heldElsewhere = createStore(false)

async function open(): Promise<Disk> {
  const forget = () => {
    opened = null
  }
  const connection = await openDB<Kept>(NAME, VERSION, {
    blocked: () => heldElsewhere.set(true),
    upgrade(database, before) {
      if (before < 1) database.createObjectStore('outbox', { keyPath: 'seq', autoIncrement: true }).createIndex('owner', 'owner')
      if (before < 2) {
        database.createObjectStore('taken', { keyPath: 'campaign' })
        database.createObjectStore('rows')
        database.createObjectStore('newer')
      }
    },
    // A newer version of Patio in another tab wants to open it: this tab lets go and opens it anew when it needs it.
    blocking(_now, _wanted, event) {
      forget()
      ;(event.target as IDBDatabase).close()
    },
    terminated: forget,
  })
  heldElsewhere.set(false)
  return connection
}

export const isFull = (error: unknown): boolean => error instanceof DOMException && error.name === 'QuotaExceededError'

/** Asks the browser not to clear what is kept here when its space runs short; whether it promised. */
export async function askToKeep(): Promise<boolean> {
  try {
    const { storage } = globalThis.navigator
    return (await storage.persisted()) || (await storage.persist())
  } catch {
    return false
  }
}
