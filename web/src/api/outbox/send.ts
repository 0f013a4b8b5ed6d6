import { answer, http, strangers } from '../client'
import { VEHICLE } from '../shape'
import type { Vehicle, VehicleInput } from '../types'
import { deviceId } from './device'
import type { Entry } from './entry'
import type { Fields } from '@/lib/fields'
import { statusIn } from '@/lib/status'

/** Longer than a slow answer takes, shorter than a dead connection is held. */
const PATIENCE_MS = 15_000

/** Sends one save; the same entry may be sent any number of times and is done once. */
export async function send(entry: Entry, token: string): Promise<Vehicle> {
  const { vehicle: id, yard, version, key, change, campaign, origin, device_time, mode } = entry
  const body: VehicleInput = { ...inputOf(change.wanted), campaign_id: campaign, origin, base: inputOf(change.base), on_conflict: mode, device_time, device: deviceId() }
  const saved = await answer(
    http.PUT('/vehicles/{id}', {
      params: { path: { id }, query: yard === null ? {} : { yard }, header: { 'If-Match': `"${version}"`, 'Idempotency-Key': key } },
      headers: { authorization: `Bearer ${token}` }, // its owner's, whoever has signed in meanwhile
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }),
    VEHICLE,
  )
  // Another vehicle, or this one as it was before, says nothing of this save: it waits on.
  if (saved.id === id && saved.version >= version) return saved
  throw strangers()
}

type Part = Pick<VehicleInput, 'status' | 'operator_notes' | 'admin_notes' | 'vin_number' | 'parking_space'>

/** The fields as the contract has them; a status that nobody knows any more goes as none. */
const inputOf = ({ status, ...rest }: Partial<Fields>): Part => (status === undefined ? rest : { ...rest, status: statusIn(status) })
