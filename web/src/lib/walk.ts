interface Standing {
  id: number
  inspected: boolean
  id_yard?: number | null
}

interface Ahead<V> {
  next: V | null
  left: number
}

/** The next vehicle to inspect after the one at hand, in walking order and round to the start, and how many there are. */
export function aheadOf<V extends Standing>(vehicles: readonly V[], yard: number | null, after: number | null): Ahead<V> {
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
