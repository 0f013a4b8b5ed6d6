import { getErrorMessage } from '@/api/apiProblem'
import type { Campaign } from '@/api/types'
import { formatCount, formatMegabytes } from '@/lib/format'
import { isQuotaExceededError } from '@/offline/database'
import { Button, LinkButton } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { useCampaignsText } from './text'
import { useTimeAgoFormatter } from './useTimeAgoFormatter'
import type { useOfflineDownload } from './useOfflineDownload'
import styles from './OfflineDownloadButton.module.css'

interface OfflineDownloadButtonProps {
  campaign: Campaign
  offline: ReturnType<typeof useOfflineDownload>
}

/** Button that downloads a campaign, or its chosen yard, for use offline. Also shows the size and the age of the stored data. */
export function OfflineDownloadButton({ campaign, offline: { problem, snapshot, download, label, start } }: OfflineDownloadButtonProps) {
  const t = useCampaignsText()
  const ageOf = useTimeAgoFormatter()
  if (problem !== null) return <p className="quiet">{t(problem === 'outdated' ? 'problem.outdated' : 'take.noDisk')}</p>
  return (
    <section className={styles.take} aria-label={t('take.title')}>
      {snapshot !== undefined && (
        <p>
          <strong>{t(snapshot.yards === null ? 'take.here' : 'take.someHere', { n: formatCount(snapshot.vehicles) })}</strong>{' '}
          <span className="quiet">{t('take.facts', { size: formatMegabytes(snapshot.bytes), age: ageOf(snapshot.fresh_at) })}</span>
        </p>
      )}
      {download.isPending && <p role="status">{t('take.taking', { n: formatCount(campaign.total_vehicles) })}</p>}
      {download.isError && <Alert kind="error">{isQuotaExceededError(download.error) ? t('take.full') : t('take.failed', { why: getErrorMessage(download.error, t) })}</Alert>}
      {download.isSuccess && !download.data && <p className="quiet">{t('take.notPromised')}</p>}
      <div className={styles.ways}>
        <Button wide={snapshot === undefined} icon="phone" busy={download.isPending} onClick={start}>
          {label}
        </Button>
        {snapshot !== undefined && <LinkButton to="/outbox">{t('take.manage')}</LinkButton>}
      </div>
    </section>
  )
}
