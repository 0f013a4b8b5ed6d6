import { openDB, unwrap, type IDBPDatabase } from 'idb'
import { createStore } from '@/lib/store'
import { abortTransactionsInBfcache } from './backForwardCache'
import type { DatabaseSchema } from './schema'

export type Database = IDBPDatabase<DatabaseSchema>

const NAME = 'patio'
const VERSION = 3

let connection: Promise<Database | null> | null = null

/**
 * Opens the IndexedDB database of this browser. Returns null when the browser offers no database, as in some private modes or with a
 * damaged profile.
 */
export async function openDatabase(): Promise<Database | null> {
  const known = await connect()
  if (known === null || isOpen(known)) return known
  connection = null // Safari closes connections without an event
  return await connect()
}

function connect(): Promise<Database | null> {
  connection ??= open().catch((error: unknown) => {
    connection = null // the next call tries again
    setObstacle(isVersionError(error) ? 'outdated' : null)
    return null
  })
  return connection
}

/** Returns whether a database connection is still open. The check starts an empty transaction, which throws on a closed connection. */
function isOpen(known: Database): boolean {
  try {
    unwrap(known).transaction('outbox', 'readonly')
    return true
  } catch {
    return false
  }
}

/**
 * Time in milliseconds after which opening the database counts as blocked by another tab. Needed because the browser sends no `blocked`
 * event for a repeated request to open the database.
 */
const BLOCKED_MS = 4000

/**
 * Reason why this tab cannot open the database; null if the database can be opened. `blocked`: another tab with an older version of Patio
 * keeps the database open. `outdated`: another tab with a newer version has upgraded the database, so the page in this tab must be reloaded.
 */
export const databaseProblem = createStore<'blocked' | 'outdated' | null>(null)

function setObstacle(obstacle: 'blocked' | 'outdated' | null): void {
  if (databaseProblem.get() !== obstacle) databaseProblem.set(obstacle)
}

async function open(): Promise<Database> {
  const disconnect = () => {
    connection = null
  }
  const block = () => setObstacle('blocked')
  const late = setTimeout(block, BLOCKED_MS)
  const opened = await openDB<DatabaseSchema>(NAME, VERSION, {
    blocked: block,
    upgrade(database, before) {
      if (before > 0 && before < 3) database.deleteObjectStore('outbox') // version 2 stored saves unencrypted; it was never released
      if (before < 3) database.createObjectStore('outbox', { keyPath: 'seq', autoIncrement: true }).createIndex('owner', 'owner')
      if (before < 2) {
        database.createObjectStore('taken', { keyPath: 'campaign' })
        database.createObjectStore('rows')
        database.createObjectStore('newer')
      }
    },
    // A newer version of Patio in another tab wants to upgrade the database, for which every other connection has to be closed.
    blocking(_now, _wanted, { target }) {
      disconnect()
      if (target instanceof IDBDatabase) target.close()
    },
    terminated: disconnect,
  }).finally(() => clearTimeout(late))
  abortTransactionsInBfcache(unwrap(opened))
  setObstacle(null)
  return opened
}

const isDomException = (error: unknown, name: string): boolean => error instanceof DOMException && error.name === name

/** Returns whether opening failed because the stored database has a higher version than the requested version. */
const isVersionError = (error: unknown): boolean => isDomException(error, 'VersionError')

export const isQuotaExceededError = (error: unknown): boolean => isDomException(error, 'QuotaExceededError')

/** Asks the browser not to delete this site's data when the device runs out of space. Returns whether the browser agreed. */
export async function requestPersistentStorage(): Promise<boolean> {
  try {
    const { storage } = globalThis.navigator
    return (await storage.persisted()) || (await storage.persist())
  } catch {
    return false
  }
}
