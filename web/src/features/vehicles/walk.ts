import type { ListedVehicle } from '@/api/types'

interface Ahead {
  next: ListedVehicle | null
  left: number
}

/** The next vehicle to inspect after the one at hand, in walking order and round to the start, and how many there are. */
export function aheadOf(vehicles: readonly ListedVehicle[], yard: number | null, after: number | null): Ahead {
  const start = after === null ? 0 : vehicles.findIndex(({ id }) => id === after) + 1
  let next: ListedVehicle | null = null
  let left = 0
  for (let step = 0; step < vehicles.length; step++) {
    const vehicle = vehicles[(start + step) % vehicles.length]
    if (vehicle === undefined || vehicle.inspected || vehicle.id === after || (yard !== null && vehicle.id_yard !== yard)) continue
    next ??= vehicle
    left++
  }
  return { next, left }
}
