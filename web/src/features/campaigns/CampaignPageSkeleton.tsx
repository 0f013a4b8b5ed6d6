import { useText } from '@/lib/text'
import { Skeleton } from '@/ui/Page'
import styles from './CampaignPageSkeleton.module.css'

/**
 * Placeholder of the campaign page while it is loading. Its parts have the places and heights of the facts, key figures, charts, yards and
 * cards.
 */
export function CampaignPageSkeleton({ onRetry }: { onRetry: () => void }) {
  const t = useText()
  return (
    <div className={styles.loading}>
      <Skeleton rows={6} className={styles.part} label={t('common.loading')} onRetry={onRetry} />
    </div>
  )
}
