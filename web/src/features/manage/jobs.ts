import type { Job, JobUndoResult } from '@/api/types'
import { formatCount, formatDate, formatTime } from '@/lib/format'
import type { JobHistoryTextKey, useJobHistoryText } from './historyText'

type Say = ReturnType<typeof useJobHistoryText>

export type JobKind = Job['kind']
export const JOB_KINDS: readonly JobKind[] = ['import', 'status', 'parking-space', 'csv']
export const JOB_KIND_LABELS: Record<JobKind, JobHistoryTextKey> = { import: 'history.kindImport', status: 'history.kindStatus', 'parking-space': 'history.space', csv: 'history.kindCsv' }

/**
 * Returns the jobs (imports, bulk changes) of the given kind whose title, campaigns or author contain the text. If `kind` is `null`, jobs
 * of all kinds are searched.
 */
export function filterJobs(jobs: Job[], kind: JobKind | null, text: string, t: Say): Job[] {
  const wanted = text.trim().toLowerCase()
  const textOf = (job: Job) => [formatJobTitle(job, t), job.created_by_name ?? '', ...job.campaigns.map(({ name }) => name)].join('\n').toLowerCase()
  return jobs.filter((job) => (kind === null || job.kind === kind) && textOf(job).includes(wanted))
}

/** Returns the title of a job, for example 'Import of cars.xlsx' or 'Status ok'. */
export function formatJobTitle({ kind, detail }: Job, t: Say): string {
  if (kind === 'import') return detail === '' ? t('history.importPlain') : t('history.import', { detail })
  if (kind === 'status') return detail === '' ? t('history.statusRemoved') : t('history.status', { detail })
  return kind === 'csv' ? t('history.csv', { detail }) : t('history.space')
}

/** Returns the names of the campaigns that a job (an import or bulk change) changed, with a mark on deleted campaigns. */
export function formatJobCampaigns({ campaigns, total_campaigns }: Job, t: Say): string {
  const names = campaigns.map(({ name, deleted }) => (deleted ? t('history.deletedCampaign', { name }) : name)).join(', ')
  const more = total_campaigns - campaigns.length
  return more > 0 ? t('history.moreCampaigns', { names, n: formatCount(more) }) : names
}

export const formatJobTime = (at: string): string => `${formatDate(at)} ${formatTime(at)}`

const HINDRANCES: Record<Exclude<Job['hindrance'], null | undefined | 'undone'>, JobHistoryTextKey> = {
  'campaign-closed': 'history.closed',
  'campaign-deleted': 'history.deleted',
  'supervisor-only': 'history.supervisor',
  inspected: 'history.inspectedImport',
}

/** Returns the reason why a job (an import or bulk change) cannot be undone, or `null` when the job can be undone. */
export function describeUndoBlocker({ kind, hindrance, undone_by_name, undone_at, restored }: Job, t: Say): string | null {
  if (!hindrance) return null
  if (hindrance !== 'undone') return t(HINDRANCES[hindrance])
  const words = { who: undone_by_name ?? '-', when: undone_at ? formatJobTime(undone_at) : '-', n: formatCount(restored) }
  return t(kind === 'import' ? 'history.undoneImport' : 'history.undone', words)
}

/** Returns sentences that describe the result of undoing a job (an import or bulk change). */
export function describeUndoResult({ kind }: Job, { undone, restored, total_left, deleted }: JobUndoResult, t: Say): string[] {
  if (!undone) return [kind === 'import' ? t('history.stays', { n: formatCount(total_left) }) : t('history.nothing')]
  const main = kind === 'import' ? t('history.removed', { n: formatCount(restored) }) : t('history.restored', { n: formatCount(restored) })
  return [main, ...(deleted > 0 ? [t('history.gone', { n: formatCount(deleted) })] : [])]
}
