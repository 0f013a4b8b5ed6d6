import type { Fields } from '@/lib/fields'
import { raw } from './client'
import type { ListedVehicle, Vehicle, VehicleInput } from './types'

/** One field that two people changed; both values are kept until somebody settles it. */
export interface Conflict {
  id: number
  vehicle_id: number
  campaign_id: number
  campaign_name: string
  vin_number: string
  field: keyof Fields
  base: string
  theirs: string
  mine: string
  theirs_by_hmc: string | null
  theirs_at: string | null
  mine_by_hmc: string | null
  mine_at: string
  device_time: string | null
  shown: 'theirs' | 'mine'
  state: 'open' | 'settled'
  chosen: 'theirs' | 'mine' | null
  settled_by_hmc: string | null
  settled_at: string | null
}

/** A save by field: what was seen, what is wanted, and what becomes of a field that somebody else changed meanwhile. */
export interface FieldSave extends VehicleInput {
  base?: Partial<Fields>
  on_conflict?: 'ask' | 'keep'
  device_time?: string
  device?: string
}

export type SavedVehicle = Vehicle & { conflicts?: Conflict[]; open_conflicts?: number }

/** Who saved in the last quarter of an hour, and when all is done if it goes on like that. */
export interface Pace {
  campaign_id: number
  people: { hmc: string; yard_id: number | null; yard_name: string | null; last_at: string; saves: number; per_hour: number }[]
  per_hour: number
  remaining: number
  finish_at?: string | null
}

/** Saves that phones still hold, as far as they could tell. */
export interface HeldWork {
  devices: number
  saves: number
  held: { hmc: string | null; device: string; saves: number; oldest_at: string; told_at: string }[]
}

/** What changed in a campaign since a revision; `whole` says that the list is to be fetched anew. */
export interface Changes {
  revision: number
  vehicles: ListedVehicle[]
  removed: number[]
  whole: boolean
}

/** The JSON that a call answers. */
export async function asked<T>(path: string, init: RequestInit & { json?: unknown } = {}): Promise<T> {
  const { json, ...rest } = init
  const body = json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  const response = await raw(path, { ...rest, ...body })
  return (response.status === 204 ? undefined : await response.json()) as T
}
