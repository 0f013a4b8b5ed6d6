import type { Job } from '@/api/types'
import { useInspectedVehicleCounts } from './api'
import { useJobHistoryText } from './historyText'
import { describeUndoBlocker } from './jobs'

/**
 * Returns a function that states the reason why one of the jobs (imports, bulk changes) cannot be undone, or `null` when undo may be
 * offered. The server lists most reasons with the job; that an imported campaign is already inspected is known from the campaign list.
 */
export function useUndoBlockers(jobs: Job[]): (job: Job) => string | null {
  const t = useJobHistoryText()
  const inspected = useInspectedVehicleCounts(jobs.some(({ kind, hindrance }) => kind === 'import' && !hindrance)).data
  return (job) => describeUndoBlocker(job, job.kind === 'import' ? (inspected?.get(job.campaigns[0]?.id ?? 0) ?? 0) : 0, t)
}
