import { Link } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { isVisibleYard, compareNamesNaturally } from '@/lib/yards'
import { Icon } from '@/ui/Icon'
import { Skeleton } from '@/ui/Page'
import { ProgressBar } from '@/ui/ProgressBar'
import { useCampaignsText } from './text'
import styles from './YardProgressStrip.module.css'

export interface YardProgress {
  id: number
  name: string
  done: number
  total: number
}

interface YardStripProps {
  yards: YardProgress[]
  hrefOf: (yard: YardProgress) => string
  /** Id of the chosen yard; `null` when no yard is chosen. */
  current?: number | null
  /** Whether the total progress of all yards is shown above the columns of the yards. */
  summed?: boolean
}

const HEIGHT = 40
const sum = (yards: YardProgress[], what: 'done' | 'total') => yards.reduce((all, yard) => all + yard[what], 0)

/** Placeholder of the same height as the yard strip, shown while the progress is loading. */
export function YardProgressSkeleton({ summed = false }: { summed?: boolean }) {
  const t = useCampaignsText()
  return <Skeleton className={summed ? styles.summedPlace : styles.place} label={t('common.loading')} />
}

/** Progress of each yard as a column with the number of vehicles left. A tap on a column opens the yard. */
export function YardProgressStrip({ yards, hrefOf, current = null, summed = false }: YardStripProps) {
  const t = useCampaignsText()
  const shown = yards.filter((yard) => yard.total > 0 && isVisibleYard(yard)).toSorted((a, b) => compareNamesNaturally(a.name, b.name))
  if (shown.length === 0) return null
  const [done, total] = [sum(yards, 'done'), sum(yards, 'total')]
  const digits = Math.max(...shown.map((yard) => String(yard.total - yard.done).length))
  return (
    <section id="yards" className={styles.strip} aria-label={t('strip.title')}>
      {summed && (
        <div className={styles.sum}>
          <p>
            <strong className={styles.number}>{formatCount(done)}</strong> / {formatCount(total)} {t('strip.vehicles', { n: formatCount(total) })}
          </p>
          <ProgressBar quiet label={t('strip.title')} done={done} total={total} ticks={48} />
        </div>
      )}
      <ul className={styles.columns} aria-label={t('strip.yards')} data-digits={digits}>
        {shown.map((yard) => <YardColumn key={yard.id} yard={yard} href={hrefOf(yard)} isCurrent={yard.id === current} />)}
      </ul>
      {shown.some((yard) => yard.done < yard.total) && <p className={styles.caption} aria-hidden="true">{t('strip.numbers')}</p>}
    </section>
  )
}

/**
 * Column of one yard. Its tooltip states the number of inspected and of all vehicles, because a narrow column shows only the yard's letter
 * and the bar.
 */
function YardColumn({ yard, href, isCurrent }: { yard: YardProgress; href: string; isCurrent: boolean }) {
  const t = useCampaignsText()
  const label = t('strip.yard', { name: yard.name, done: formatCount(yard.done), total: formatCount(yard.total) })
  return (
    <li>
      <Link href={href} className={styles.column} aria-current={isCurrent ? 'true' : undefined} aria-label={label} title={label}>
        <Column share={yard.done / yard.total} />
        <strong>{yard.name}</strong>
        {yard.done < yard.total ? <span className={styles.left} data-left={formatCount(yard.total - yard.done)} /> : <Icon name="check" size={14} />}
      </Link>
    </li>
  )
}

function Column({ share }: { share: number }) {
  const height = Math.max(share * HEIGHT, share > 0 ? 2 : 0)
  return (
    <svg className={`${styles.bar} ${share >= 1 ? styles.full : ''}`} width="14" height={HEIGHT} viewBox={`0 0 14 ${HEIGHT}`} aria-hidden="true" focusable="false">
      <rect className={styles.track} width="14" height={HEIGHT} rx="4" />
      <rect y={HEIGHT - height} width="14" height={height} rx={Math.min(4, height / 2)} fill="currentColor" />
    </svg>
  )
}
