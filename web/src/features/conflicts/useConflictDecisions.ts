import { useState } from 'react'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { mayResolveConflict, useResolveConflict, type ConflictSide } from '@/api/conflicts'
import { useSession } from '@/api/session'
import type { FieldConflict } from '@/api/types'
import { showToast } from '@/ui/Toast'
import type { ConflictProps } from './ConflictParts'
import { mergeOpenConflicts, listResolvedConflictIds } from './shownConflicts'
import { useConflictsText } from './text'

/**
 * Time in milliseconds after a decision during which the page accepts no further decision. A double click therefore resolves only one
 * conflict.
 */
const DOUBLE_CLICK_MS = 600

interface ConflictDecisions {
  /** Conflicts shown on the page, in display order, including those that were resolved since the page was opened. */
  shown: FieldConflict[]
  propsOf: (conflict: FieldConflict) => ConflictProps
}

/**
 * Returns the conflicts to show, and a function that returns the state and the callback of each. A resolved conflict keeps its place.
 * Otherwise the next conflict would move under the pointer, and a double click would resolve it as well.
 */
export function useConflictDecisions(open: FieldConflict[], isComplete: boolean): ConflictDecisions {
  const t = useConflictsText()
  const userType = useSession()?.user.user_type ?? ''
  const settle = useResolveConflict()
  const [kept, setKept] = useState<ReadonlyMap<number, ConflictSide>>(new Map())
  const [isResting, setIsResting] = useState(false)
  const [known, setKnown] = useState<FieldConflict[]>([])
  const shown = mergeOpenConflicts(known, open)
  if (shown.length !== known.length || shown.some((conflict, at) => conflict !== known[at])) setKnown(shown)

  const pending = settle.isPending ? settle.variables.conflict.id : null
  const closed = listResolvedConflictIds(shown, open, isComplete)
  const failed = settle.error instanceof ApiProblem && settle.error.status === 409 ? t('conflicts.before') : settle.error && getErrorMessage(settle.error, t)
  const resolve = (conflict: FieldConflict, choice: ConflictSide) => {
    setIsResting(true)
    setTimeout(() => setIsResting(false), DOUBLE_CLICK_MS)
    settle.mutate({ conflict, choice }, {
      onSuccess: () => {
        setKept((before) => new Map(before).set(conflict.id, choice))
        showToast('success', t('conflicts.done', { vin: conflict.vin_number }))
      },
    })
  }
  const propsOf = (conflict: FieldConflict): ConflictProps => ({
    conflict,
    mayDecide: mayResolveConflict(userType, conflict.field),
    busy: settle.isPending || isResting,
    outcome: conflict.id === pending || open.some(({ id }) => id === conflict.id) ? null : (kept.get(conflict.id) ?? (closed.has(conflict.id) ? 'unknown' : null)),
    error: settle.variables?.conflict.id === conflict.id ? failed : null,
    onResolve: (choice) => resolve(conflict, choice),
  })
  return { shown, propsOf }
}
