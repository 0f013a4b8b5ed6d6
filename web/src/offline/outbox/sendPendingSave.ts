import { markServerUnreachable, apiClient, unwrapResponse } from '@/api/client'
import { VEHICLE_REQUIRED_FIELDS } from '@/api/requiredFields'
import type { Vehicle, VehicleUpdate } from '@/api/types'
import type { VehicleFields } from '@/lib/vehicleFields'
import { parseVehicleStatus } from '@/lib/vehicleStatus'
import { getDeviceId } from './deviceId'
import type { PendingSave } from './pendingSave'

/**
 * Timeout in milliseconds of the request that sends a save. The timeout is long enough for a slow network, so that only a dead connection
 * times out.
 */
const TIMEOUT_MS = 15_000

/** Sends one save and returns the saved vehicle. Sending it again is safe, because the server applies only one save per idempotency key. */
export async function sendPendingSave(entry: PendingSave, token: string): Promise<Vehicle> {
  const { vehicle: id, vin, yard, version, key, change, campaign, origin, device_time, mode } = entry
  const body: VehicleUpdate = { ...inputOf(change.wanted), seen_vin_number: vin, campaign_id: campaign, origin, base: inputOf(change.base), on_conflict: mode, device_time, device: getDeviceId() }
  const saved = await unwrapResponse(
    apiClient.PUT('/vehicles/{id}', {
      params: { path: { id }, query: yard === null ? {} : { yard }, header: { 'If-Match': `"${version}"`, 'Idempotency-Key': key } },
      headers: { authorization: `Bearer ${token}` }, // the owner's token, even if another person has signed in meanwhile
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
    VEHICLE_REQUIRED_FIELDS,
  )
  // A response about another vehicle, or about an older version of this one, does not confirm the save.
  if (saved.id === id && saved.version >= version) return saved
  throw markServerUnreachable()
}

type Part = Pick<VehicleUpdate, 'status' | 'operator_notes' | 'admin_notes' | 'vin_number' | 'parking_space'>

/**
 * Returns the changed fields in the format of the API. A status that this version of the app does not know, from a save of an older
 * version, becomes an empty status.
 */
const inputOf = ({ status, ...rest }: Partial<VehicleFields>): Part => (status === undefined ? rest : { ...rest, status: parseVehicleStatus(status) })
