import type { DBSchema } from 'idb'
import type { Campaign, ListedVehicle } from '@/api/types'

/** Byte array whose memory is not shared with a worker, as the Web Crypto API requires. */
export type NonSharedUint8Array = Uint8Array<ArrayBuffer>

/** State of a save in the outbox: not yet sent, rejected by the server, or stored at the server. */
export type SaveState = 'waiting' | 'refused' | 'done'

/** A vehicle save as stored in the database. All fields of the save that are not listed here are encrypted with its owner's key. */
export interface EncryptedSave {
  /** Position of the save in the order of sending, and key of the database record. */
  seq: number
  id: string
  owner: string
  state: SaveState
  /** Time at which the person saved the vehicle, in milliseconds since 1970. */
  at: number
  /** The initialization vector, followed by the encrypted JSON of the other fields of the save. */
  sealed: NonSharedUint8Array
}

/** Metadata of a campaign's vehicle list that was downloaded for offline use. */
export interface SnapshotMetadata {
  campaign: number
  /**
   * Key under which this device stores the data of the person who downloaded the list. Other people who use this device do not see the
   * list.
   */
  owner: string
  /** Ids of the stored yards; null when the list has every yard. */
  yards: number[] | null
  /** The campaign, with its vehicle counts, as last sent by the server. */
  head: Campaign
  /** Revision number of the campaign's vehicle list at the server; null when the server sent no revision. */
  revision: number | null
  /** Whether the list includes the yard '-' (parking spaces that begin with a dash), which the server does not send to operators. */
  dash?: boolean
  /** `ETag` of the vehicle list; null when the server sent no `ETag`. */
  tag: string | null
  /** Number of vehicles in the list. */
  vehicles: number
  /** Length of the stored vehicle list (its encoded rows) in characters, not in bytes as the name suggests. */
  bytes: number
  /** Time at which the vehicle list was first downloaded, in milliseconds since 1970. */
  taken_at: number
  /** Time at which the server last confirmed or updated the list, in milliseconds since 1970. */
  fresh_at: number
}

/** Object stores of the app's IndexedDB database in this browser. */
export interface DatabaseSchema extends DBSchema {
  outbox: { key: number; value: EncryptedSave; indexes: { owner: string } }
  /** Metadata of the downloaded vehicle lists (snapshots), by campaign id. */
  taken: { key: number; value: SnapshotMetadata }
  /** Encoded rows of a downloaded vehicle list (snapshot), in parts. */
  rows: { key: [campaign: number, part: number]; value: string }
  /** Rows of a downloaded vehicle list (snapshot) that have changed since the download; each replaces the row in `rows`. */
  newer: { key: [campaign: number, vehicle: number]; value: ListedVehicle }
}
