import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'

// Files that import this module get a database, which is empty. Other files have none, as in a browser without storage.
globalThis.indexedDB = new IDBFactory()
