import type { Job } from '@/api/types'
import { useStore } from '@/lib/store'
import { useInspectedVehicleCounts } from './api'
import { useJobHistoryText } from './historyText'
import { describeUndoBlocker } from './jobs'
import { findRefusedVehicleCount, undoRefusals } from './undoRefusals'

/**
 * Returns a function that states the reason why one of the jobs (imports, bulk changes) cannot be undone, or `null` when undo may be
 * offered. The server lists some reasons with the job. The others are known from the campaign list or from a refused undo.
 */
export function useUndoBlockers(jobs: Job[]): (job: Job) => string | null {
  const t = useJobHistoryText()
  const refusals = useStore(undoRefusals)
  const inspected = useInspectedVehicleCounts(jobs.some(({ kind, hindrance }) => kind === 'import' && !hindrance)).data
  return (job) => describeUndoBlocker(job, {
    inspected: job.kind === 'import' ? (inspected?.get(job.campaigns[0]?.id ?? 0) ?? 0) : 0,
    refused: findRefusedVehicleCount(refusals, job, jobs),
  }, t)
}
