import type { ListedVehicle } from '@/api/types'

/** Returns a vehicle list with rows replaced by newer versions and without deleted vehicles. Returns the same array when no row changes. */
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

/**
 * Returns whether any newer row belongs to a vehicle that is not in the list. The full list must then be fetched again, because a row does
 * not contain its position in the list.
 */
export function hasUnknownVehicles(rows: readonly ListedVehicle[], newer: readonly ListedVehicle[]): boolean {
  const known = new Set(rows.map(({ id }) => id))
  return newer.some(({ id }) => !known.has(id))
}
