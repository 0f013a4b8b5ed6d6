import type { ListedVehicle } from '@/api/types'

/**
 * Replaces rows of a vehicle list by their newer versions and leaves out deleted vehicles. Returns the unchanged array when no row changes.
 */
export function applySnapshotDelta(rows: ListedVehicle[], newer: readonly ListedVehicle[], removed: readonly number[] = []): ListedVehicle[] {
  const [newById, removedIds] = [new Map(newer.map((row) => [row.id, row])), new Set(removed)]
  let hasChanged = false
  const result: ListedVehicle[] = []
  for (const row of rows) {
    const now = newById.get(row.id)
    if (removedIds.has(row.id)) hasChanged = true
    else if (now !== undefined && now.version > row.version) {
      hasChanged = true
      result.push({ ...row, ...now })
    } else result.push(row)
  }
  return hasChanged ? result : rows
}

/** Returns whether some newer rows belong to vehicles that are not in the list. The position of these vehicles is unknown, so the list has to be fetched again. */
export function hasUnknownVehicles(rows: readonly ListedVehicle[], newer: readonly ListedVehicle[]): boolean {
  const known = new Set(rows.map(({ id }) => id))
  return newer.some(({ id }) => !known.has(id))
}
