import { useState } from 'react'
import { wordsFor } from '@/api/problem'
import type { Job } from '@/api/types'
import { pageCount } from '@/lib/pages'
import { count } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Empty, Failure, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { useJobs } from './api'
import { useHistoryText } from './historyText'
import { campaignsOf, hindranceOf, momentOf, titleOf } from './jobs'
import { UndoDialog } from './UndoDialog'
import styles from './History.module.css'

/** What changed many vehicles at once, newest first, and the way back. */
export function History() {
  const t = useHistoryText()
  const [page, setPage] = useState(1)
  const [leaving, setLeaving] = useState<Job | null>(null)
  const jobs = useJobs(page)
  const rows = jobs.data?.jobs
  return (
    <>
      <p className="quiet">{t('history.explain')}</p>
      {jobs.isError && <Failure text={t('history.failed', { why: wordsFor(jobs.error, t) })} onRetry={() => void jobs.refetch()} />}
      {jobs.isPending && <Skeleton rows={3} height={72} label={t('common.loading')} />}
      {jobs.data?.meta.total_count === 0 && <Empty icon="undo" text={t('history.none')} />}
      {rows && rows.length > 0 && (
        <ul className={styles.jobs} aria-label={t('history.list')}>
          {rows.map((job) => (
            <JobRow key={job.id} job={job} onUndo={() => setLeaving(job)} />
          ))}
        </ul>
      )}
      {jobs.data && <Pager label={t('history.list')} page={page} pages={pageCount(jobs.data.meta.total_count)} onPage={setPage} />}
      {leaving && <UndoDialog job={leaving} onDone={() => setLeaving(null)} />}
    </>
  )
}

function JobRow({ job, onUndo }: { job: Job; onUndo: () => void }) {
  const t = useHistoryText()
  const { vehicles, created_by_name, created_at, hindrance } = job
  const [what, when] = [titleOf(job, t), momentOf(created_at)]
  const words = hindranceOf(job, t)
  return (
    <li className={styles.job} data-undone={hindrance === 'undone' || undefined}>
      <div className={styles.what}>
        <strong className={styles.title}>{what}</strong>
        <span>
          {t(vehicles === 1 ? 'history.vehiclesOne' : 'history.vehicles', { n: count(vehicles) })} · {campaignsOf(job, t)}
        </span>
        <span className="quiet">
          {created_by_name ?? '-'} · <time dateTime={created_at}>{when}</time>
        </span>
        {words !== null && <span className={styles.hindrance}>{words}</span>}
      </div>
      {words === null && (
        <Button icon="undo" aria-label={t('history.undoLabel', { what, when })} onClick={onUndo}>
          {t('history.undo')}
        </Button>
      )}
    </li>
  )
}
