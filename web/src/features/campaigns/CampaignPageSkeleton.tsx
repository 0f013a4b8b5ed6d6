import { useText } from '@/lib/text'
import { Skeleton } from '@/ui/Page'
import styles from './CampaignPageSkeleton.module.css'

/** Placeholder of the campaign page: facts, key figures, charts and yards in the places and heights of the loaded parts, with the cards beside them. */
export function CampaignPageSkeleton({ onRetry }: { onRetry: () => void }) {
  const t = useText()
  return (
    <div className={styles.loading}>
      <Skeleton rows={6} className={styles.part} label={t('common.loading')} onRetry={onRetry} />
    </div>
  )
}
