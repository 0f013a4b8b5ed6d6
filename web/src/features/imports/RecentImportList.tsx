import { useQuery } from '@tanstack/react-query'
import { jobsQuery } from '@/api/jobs'
import { getErrorMessage } from '@/api/apiProblem'
import type { Job } from '@/api/types'
import { Link } from '@/lib/route'
import { formatCount, formatDate, formatTime } from '@/lib/format'
import { ErrorNotice, Skeleton } from '@/ui/Page'
import { useImportText } from './text'
import styles from './RecentImportList.module.css'

const LISTED = 5

const useLastImports = () => useQuery({ ...jobsQuery, select: (jobs) => jobs.filter(({ kind }) => kind === 'import').slice(0, LISTED) })

/** The newest imports with their campaigns, and a link to the page where an import can be undone. */
export function RecentImportList() {
  const t = useImportText()
  const imports = useLastImports()
  return (
    <section className={styles.last} aria-label={t('import.last')}>
      <div className={styles.lastHead}>
        <h2>{t('import.last')}</h2>
        <Link href="/campaign-list?tool=history">{t('import.history')}</Link>
      </div>
      {imports.isError && <ErrorNotice text={getErrorMessage(imports.error, t)} onRetry={() => void imports.refetch()} />}
      {imports.isPending && <Skeleton rows={3} height={56} label={t('common.loading')} onRetry={() => void imports.refetch()} />}
      {imports.data?.length === 0 && <p className="quiet">{t('import.noneYet')}</p>}
      {imports.data && imports.data.length > 0 && (
        <ul className={styles.imports}>
          {imports.data.map((job) => (
            <Imported key={job.id} job={job} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Imported({ job: { campaigns, detail, vehicles, created_by_name, created_at, hindrance } }: { job: Job }) {
  const t = useImportText()
  const [campaign] = campaigns
  return (
    <li>
      <span className={styles.campaign}>
        {campaign && !campaign.deleted ? <Link href={`/campaign/${campaign.id}`}>{campaign.name}</Link> : <span>{campaign?.name}</span>}
        {campaign?.deleted && <span className="quiet"> · {t(hindrance === 'undone' ? 'import.undone' : 'import.deleted')}</span>}
      </span>
      <span className={styles.count}>{t('import.vehicles', { n: formatCount(vehicles) })}</span>
      <span className="quiet">
        {detail} · {created_by_name ?? '-'} ·{' '}
        <time dateTime={created_at}>
          {formatDate(created_at)} {formatTime(created_at)}
        </time>
      </span>
    </li>
  )
}
