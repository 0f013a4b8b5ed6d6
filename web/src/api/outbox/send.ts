import { answer, http } from '../client'
import type { FieldSave, SavedVehicle } from '../contract'
import { deviceId } from './device'
import type { Entry } from './entry'

/** Longer than a slow answer takes, shorter than a dead connection is held. */
const PATIENCE_MS = 15_000

/** Sends one save; the same entry may be sent any number of times and is done once. */
export async function send(entry: Entry, token: string): Promise<SavedVehicle> {
  const { vehicle: id, yard, version, key, change, campaign, origin, device_time, mode } = entry
  const body: FieldSave = { ...inputOf(change.wanted), campaign_id: campaign, origin, base: change.base, on_conflict: mode, device_time, device: deviceId() }
  return await answer(
    http.PUT('/vehicles/{id}', {
      params: { path: { id }, query: yard === null ? {} : { yard }, header: { 'If-Match': `"${version}"`, 'Idempotency-Key': key } },
      headers: { authorization: `Bearer ${token}` }, // its owner's, whoever has signed in meanwhile
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }),
  )
}

function inputOf({ status, ...rest }: Entry['change']['wanted']): FieldSave {
  return status === undefined ? rest : { ...rest, status: status as FieldSave['status'] }
}
