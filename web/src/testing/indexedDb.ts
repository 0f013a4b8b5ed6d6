import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'

// Test files that import this module get an empty database. Other test files have no database, like a browser without storage.
globalThis.indexedDB = new IDBFactory()
