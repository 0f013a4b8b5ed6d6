import type { Fields } from '@/lib/fields'
import type { Vehicle, VehicleInput } from './types'

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
