import { useSession } from '@/api/session'
import { useStore } from '@/lib/store'
import { databaseProblem } from '../database'
import { selectOutboxOfCurrentUser, outboxState, type OutboxState } from './store'

export { OutboxContext, useOutbox } from './outboxContext'
export { getDeviceId } from './deviceId'
export { countVehicleMismatches, countUnsentInspections, UNDO_PERIOD_MS, getMismatchedServerVin, getVehicleMismatchGroupKey, applyPendingSavesToVehicle, applyPendingSavesToList, type PendingSave, type OutboxEntry, type SaveRejection } from './pendingSave'
export { Outbox } from './outbox'
export { RejectedSaveError, type SaveRequest, type SaveResult } from './saveRequest'
export { outboxState, loadOutbox, deleteOutboxEntry } from './store'

export function useOutboxState(): OutboxState {
  useSession() // another person may have signed in since the outbox was read
  return selectOutboxOfCurrentUser(useStore(outboxState))
}

/** Returns the signed-in person's saves that wait to be sent, grouped by vehicle id. Rejected saves are not included. */
export const usePendingSaves = () => useOutboxState().pending
export const getPendingSaves = () => selectOutboxOfCurrentUser(outboxState.get()).pending

/**
 * Returns why this device cannot store saves; null if it can, or if the database has not been read yet. `outdated`: another tab with a
 * newer version has upgraded the database, so this page has to be reloaded. `unavailable`: another reason.
 */
export function useStorageProblem(): 'outdated' | 'unavailable' | null {
  const { canStore } = useOutboxState()
  const obstacle = useStore(databaseProblem)
  if (canStore !== false) return null
  return obstacle === 'outdated' ? 'outdated' : 'unavailable'
}
