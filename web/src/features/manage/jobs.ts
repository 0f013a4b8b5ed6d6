import type { Job, UndoResult } from '@/api/types'
import { count, dateOf, timeOf } from '@/lib/time'
import type { HistoryKey, useHistoryText } from './historyText'

type Say = ReturnType<typeof useHistoryText>

/** What a job did, in a few words. */
export function titleOf({ kind, detail }: Job, t: Say): string {
  if (kind === 'import') return detail === '' ? t('history.importPlain') : t('history.import', { detail })
  if (kind === 'status') return detail === '' ? t('history.statusRemoved') : t('history.status', { detail })
  return kind === 'csv' ? t('history.csv', { detail }) : t('history.space')
}

/** The campaigns of a job by name, a deleted one marked. */
export function campaignsOf({ campaigns, total_campaigns }: Job, t: Say): string {
  const names = campaigns.map(({ name, deleted }) => (deleted ? t('history.deletedCampaign', { name }) : name)).join(', ')
  const more = total_campaigns - campaigns.length
  return more > 0 ? t('history.moreCampaigns', { names, n: count(more) }) : names
}

export const momentOf = (at: string): string => `${dateOf(at)} ${timeOf(at)}`

const HINDRANCES: Record<Exclude<Job['hindrance'], null | undefined | 'undone'>, HistoryKey> = {
  'campaign-closed': 'history.closed',
  'campaign-deleted': 'history.deleted',
  'supervisor-only': 'history.supervisor',
}

/** Why a job cannot be undone, or null when it can. */
export function hindranceOf({ kind, hindrance, undone_by_name, undone_at, restored }: Job, t: Say): string | null {
  if (!hindrance) return null
  if (hindrance !== 'undone') return t(HINDRANCES[hindrance])
  const words = { who: undone_by_name ?? '-', when: undone_at ? momentOf(undone_at) : '-', n: count(restored) }
  return t(kind === 'import' ? 'history.undoneImport' : 'history.undone', words)
}

/** What undoing came to, sentence by sentence. */
export function sentencesOf({ kind }: Job, { undone, restored, total_left, deleted }: UndoResult, t: Say): string[] {
  if (!undone) return [kind === 'import' ? t('history.stays', { n: count(total_left) }) : t('history.nothing')]
  const main = kind === 'import' ? t('history.removed', { n: count(restored) }) : t(restored === 1 ? 'history.restoredOne' : 'history.restored', { n: count(restored) })
  return [main, ...(deleted > 0 ? [t('history.gone', { n: count(deleted) })] : [])]
}
