import type { FieldConflict } from '@/api/types'

/**
 * Returns the shown conflicts, followed by the open conflicts that are not shown yet. Shown conflicts keep their places, even when they are
 * no longer open. Returns an empty list when no conflict is open.
 */
export function mergeOpenConflicts(shown: FieldConflict[], open: FieldConflict[]): FieldConflict[] {
  if (open.length === 0) return []
  const current = new Map(open.map((conflict) => [conflict.id, conflict]))
  const known = new Set(shown.map(({ id }) => id))
  return [...shown.map((conflict) => current.get(conflict.id) ?? conflict), ...open.filter(({ id }) => !known.has(id))]
}

/**
 * Returns the ids of shown conflicts that are no longer open. If the list `open` is incomplete, conflicts older than its oldest entry are
 * left out, because they may be open but missing from the list.
 */
export function listResolvedConflictIds(shown: FieldConflict[], open: FieldConflict[], isComplete: boolean): ReadonlySet<number> {
  const ids = new Set(open.map(({ id }) => id))
  const oldest = isComplete ? 0 : Math.min(...ids)
  return new Set(shown.map(({ id }) => id).filter((id) => !ids.has(id) && id >= oldest))
}
