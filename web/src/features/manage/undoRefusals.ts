import type { Job } from '@/api/types'
import { isRecord } from '@/lib/json'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { createStore } from '@/lib/store'

/** Answer of the server that a job (an import or bulk change) cannot be undone, because its vehicles have changed since. */
interface UndoRefusal {
  /** Number of vehicles that have changed since the job. */
  vehicles: number
  /** Time of the newest undo of any job when the server refused, in milliseconds since 1970. */
  newestUndoAt: number
}

type UndoRefusals = Readonly<Record<string, UndoRefusal>>

/** Key in `sessionStorage`. The list of jobs does not state the refusals, so the browser tab stores them. */
const NAME = 'undo-refusals'

const isRefusal = (value: unknown): value is UndoRefusal => isRecord(value) && typeof value.vehicles === 'number' && typeof value.newestUndoAt === 'number'
const isRefusals = (value: unknown): value is UndoRefusals => isRecord(value) && Object.values(value).every(isRefusal)

/** Reads the refusals that this browser tab stores. */
export const readUndoRefusals = (): UndoRefusals => readStoredJson(sessionStorage, NAME, isRefusals) ?? {}

/** Refused undos by job id. */
export const undoRefusals = createStore<UndoRefusals>(readUndoRefusals())

const getNewestUndoTime = (jobs: Job[]): number => Math.max(0, ...jobs.map(({ undone_at }) => (undone_at ? Date.parse(undone_at) : 0)))

/** Stores that the server refused to undo a job. `jobs` is the list of jobs after the refusal. */
export function recordUndoRefusal(job: Job, vehicles: number, jobs: Job[]): void {
  undoRefusals.set({ ...undoRefusals.get(), [job.id]: { vehicles, newestUndoAt: getNewestUndoTime(jobs) } })
  writeStoredJson(sessionStorage, NAME, undoRefusals.get())
}

/**
 * Returns the number of vehicles for which the server refused to undo a job; `null` without a refusal. A refusal ends when any job is
 * undone later, because that undo can restore the vehicles.
 */
export function findRefusedVehicleCount(refusals: UndoRefusals, job: Job, jobs: Job[]): number | null {
  const refusal = refusals[job.id]
  return refusal !== undefined && refusal.newestUndoAt >= getNewestUndoTime(jobs) ? refusal.vehicles : null
}
