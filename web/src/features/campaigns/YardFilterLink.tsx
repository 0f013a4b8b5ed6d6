import { Link } from '@/lib/route'
import { Icon } from '@/ui/Icon'
import { useCampaignsText } from './text'
import styles from './YardFilterLink.module.css'

/** Chip with the chosen yard of the campaign page. A tap leads back to the whole campaign. */
export function YardFilterLink({ yard, to }: { yard: string; to: string }) {
  const t = useCampaignsText()
  const label = t('yard.showWhole', { yard })
  return (
    <div className={styles.filter}>
      <Link href={to} className={styles.chip} aria-label={label} title={label}>
        {yard}
        <Icon name="close" size={18} />
      </Link>
    </div>
  )
}
