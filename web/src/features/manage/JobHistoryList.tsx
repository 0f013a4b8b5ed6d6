import { useState } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import type { Job } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { useScreenOrPrintedRows } from '@/lib/printing'
import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { SingleChoiceChips } from '@/ui/Chips'
import { EmptyState, ErrorNotice, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { PrintedRangeLine } from '@/ui/PrintedRangeLine'
import { SearchBox } from '@/ui/SearchBox'
import table from '@/ui/Table.module.css'
import { useJobs } from './api'
import { useJobHistoryText } from './historyText'
import { filterJobs, formatJobCampaigns, describeUndoBlocker, formatJobTime, formatJobTitle, JOB_KINDS, JOB_KIND_LABELS, type JobKind } from './jobs'
import { UndoJobDialog } from './UndoJobDialog'
import styles from './JobHistoryList.module.css'

/** List of imports and bulk changes (jobs), newest first, with a search, a filter by kind, and an Undo button for each job. */
export function JobHistoryList() {
  const t = useJobHistoryText()
  const jobs = useJobs()
  return (
    <>
      <p className="quiet">{t('history.explain')}</p>
      {jobs.isError && <ErrorNotice text={t('history.failed', { why: getErrorMessage(jobs.error, t) })} onRetry={() => void jobs.refetch()} />}
      {jobs.isPending && <Skeleton rows={3} height={72} label={t('common.loading')} onRetry={() => void jobs.refetch()} />}
      {jobs.data?.length === 0 && <EmptyState icon="undo" text={t('history.none')} />}
      {jobs.data && jobs.data.length > 0 && <Filtered jobs={jobs.data} />}
    </>
  )
}

function Filtered({ jobs }: { jobs: Job[] }) {
  const t = useJobHistoryText()
  const isWide = useMediaQuery('(min-width: 900px)')
  const [kind, setKind] = useState<JobKind | null>(null)
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(1)
  const [leaving, setLeaving] = useState<Job | null>(null)
  const found = filterJobs(jobs, kind, search, t)
  const pages = countPages(found.length)
  const { from, shown } = useScreenOrPrintedRows(found, Math.min(page, pages), PAGE_SIZE)
  const showAll = () => {
    setSearch('')
    setKind(null)
    setPage(1)
  }
  const kinds = JOB_KINDS.map((value) => ({ value, text: t(JOB_KIND_LABELS[value]), count: jobs.filter((job) => job.kind === value).length }))
  return (
    <>
      <div className={styles.filters}>
        <SearchBox label={t('history.search')} value={search} onChange={(text) => {
          setSearch(text)
          setPage(1)
        }} />
        <SingleChoiceChips label={t('history.kinds')} value={kind} chips={[{ value: null, text: t('history.all'), count: jobs.length }, ...kinds]} onChoose={(next) => {
          setKind(next)
          setPage(1)
        }} />
      </div>
      {found.length === 0 && (
        <EmptyState icon="undo" text={t('history.noMatch')}>
          <Button onClick={showAll}>{t('history.showAll')}</Button>
        </EmptyState>
      )}
      <PrintedRangeLine from={from} count={shown.length} total={found.length} />
      {shown.length > 0 && (isWide ? <JobTable jobs={shown} onUndo={setLeaving} /> : <JobCards jobs={shown} onUndo={setLeaving} />)}
      <Pager label={t('history.list')} page={page} pages={pages} onPage={setPage} />
      {leaving && <UndoJobDialog job={leaving} onDone={() => setLeaving(null)} />}
    </>
  )
}

interface JobsProps {
  jobs: Job[]
  onUndo: (job: Job) => void
}

function JobTable({ jobs, onUndo }: JobsProps) {
  const t = useJobHistoryText()
  return (
    <div className={table.frame}>
      <table className={`${table.table} ${styles.table}`}>
        <caption className="sr-only">{t('history.list')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('history.what')}</th>
            <th scope="col" className={styles.number}>{t('history.count')}</th>
            <th scope="col">{t('history.campaigns')}</th>
            <th scope="col">{t('history.who')}</th>
            <th scope="col">{t('history.when')}</th>
            <th scope="col">
              <span className="sr-only">{t('history.undo')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id} data-undone={job.hindrance === 'undone' || undefined}>
              <td className={styles.title}>
                <strong>{formatJobTitle(job, t)}</strong>
                <Hindrance job={job} />
              </td>
              <td className={styles.number}>{formatCount(job.vehicles)}</td>
              <td className={`${styles.campaigns} ellipsis`} title={formatJobCampaigns(job, t)}>{formatJobCampaigns(job, t)}</td>
              <td className="ellipsis" title={job.created_by_name ?? undefined}>
                {job.created_by_name ?? '-'}
              </td>
              <td>
                <time dateTime={job.created_at}>{formatJobTime(job.created_at)}</time>
              </td>
              <td className={styles.number}>
                <Undo job={job} onUndo={onUndo} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function JobCards({ jobs, onUndo }: JobsProps) {
  const t = useJobHistoryText()
  return (
    <ul className={styles.jobs} aria-label={t('history.list')}>
      {jobs.map((job) => (
        <li key={job.id} className={styles.job} data-undone={job.hindrance === 'undone' || undefined}>
          <div className={styles.what}>
            <strong>{formatJobTitle(job, t)}</strong>
            <span>
              {t('history.vehicles', { n: formatCount(job.vehicles) })} · {formatJobCampaigns(job, t)}
            </span>
            <span className="quiet">
              {job.created_by_name ?? '-'} · <time dateTime={job.created_at}>{formatJobTime(job.created_at)}</time>
            </span>
            <Hindrance job={job} />
          </div>
          <Undo job={job} onUndo={onUndo} />
        </li>
      ))}
    </ul>
  )
}

/** Text that says why a job (import or bulk change) cannot be undone, or when it was undone. Empty for a job that can be undone. */
function Hindrance({ job }: { job: Job }) {
  const words = describeUndoBlocker(job, useJobHistoryText())
  return words !== null && <span className={styles.hindrance}>{words}</span>
}

function Undo({ job, onUndo }: { job: Job; onUndo: (job: Job) => void }) {
  const t = useJobHistoryText()
  if (job.hindrance) return null
  return (
    <Button kind="quiet" icon="undo" aria-label={t('history.undoLabel', { what: formatJobTitle(job, t), when: formatJobTime(job.created_at) })} onClick={() => onUndo(job)}>
      {t('history.undo')}
    </Button>
  )
}
