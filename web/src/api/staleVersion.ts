import { Problem } from './problem'
import { matchesShape, VEHICLE_SHAPE } from './shape'
import type { Vehicle } from './types'

const isVehicle = (value: unknown): value is Vehicle => matchesShape(value, VEHICLE_SHAPE)

/**
 * Returns the server's current version of a vehicle from the error of a save that was based on an older version. Returns null for other
 * errors.
 */
export function extractCurrentVehicle(error: unknown): Vehicle | null {
  if (!(error instanceof Problem) || error.code !== 'STALE_VERSION') return null
  const [current] = error.details
  return isVehicle(current) ? current : null
}
