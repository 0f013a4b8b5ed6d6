interface Inspectable {
  id: number
  inspected: boolean
  id_yard?: number | null
}

interface Next<V> {
  next: V | null
  /** Number of vehicles that are not inspected yet, not counting the current vehicle. */
  left: number
}

/**
 * Returns the next uninspected vehicle after the vehicle with id `after`, in a list in walking order (by yard, then parking space). The
 * search wraps around at the end of the list. If `yard` is not null, only vehicles of that yard count.
 */
export function findNextVehicle<V extends Inspectable>(vehicles: readonly V[], yard: number | null, after: number | null): Next<V> {
  const start = after === null ? 0 : vehicles.findIndex(({ id }) => id === after) + 1
  let next: V | null = null
  let left = 0
  for (let step = 0; step < vehicles.length; step++) {
    const vehicle = vehicles[(start + step) % vehicles.length]
    if (vehicle === undefined || vehicle.inspected || vehicle.id === after || (yard !== null && vehicle.id_yard !== yard)) continue
    next ??= vehicle
    left++
  }
  return { next, left }
}
