import { ApiProblem } from './apiProblem'
import { hasRequiredFields, VEHICLE_REQUIRED_FIELDS } from './requiredFields'
import type { Vehicle } from './types'

const isVehicle = (value: unknown): value is Vehicle => hasRequiredFields(value, VEHICLE_REQUIRED_FIELDS)

/**
 * Returns the vehicle as the server has it now, from the error of a save that was based on an older version. Returns null for other
 * errors.
 */
export function getVehicleFromVersionConflict(error: unknown): Vehicle | null {
  if (!(error instanceof ApiProblem) || error.code !== 'STALE_VERSION') return null
  const [current] = error.details
  return isVehicle(current) ? current : null
}
