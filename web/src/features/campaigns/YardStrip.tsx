import { Link } from '@/lib/route'
import { count } from '@/lib/time'
import { isShownYard, naturally } from '@/lib/yards'
import { Skeleton } from '@/ui/Page'
import { Progress } from '@/ui/Progress'
import { useCampaignsText } from './text'
import styles from './YardStrip.module.css'

export interface YardProgress {
  id: number
  name: string
  done: number
  total: number
}

interface YardStripProps {
  yards: YardProgress[]
  hrefOf: (yard: YardProgress) => string
  /** The yard that is chosen, if one is. */
  current?: number | null
  /** Whether all of them together are shown above. */
  summed?: boolean
}

const HEIGHT = 40
const sum = (yards: YardProgress[], what: 'done' | 'total') => yards.reduce((all, yard) => all + yard[what], 0)

/** Keeps the place of a strip that is not known yet. */
export function YardStripSkeleton({ summed = false }: { summed?: boolean }) {
  const t = useCampaignsText()
  return <Skeleton className={summed ? styles.summedPlace : styles.place} label={t('common.loading')} />
}

/** How far each yard is, as columns to look at and to tap. */
export function YardStrip({ yards, hrefOf, current = null, summed = false }: YardStripProps) {
  const t = useCampaignsText()
  const shown = yards.filter((yard) => yard.total > 0 && isShownYard(yard)).toSorted((a, b) => naturally(a.name, b.name))
  if (shown.length === 0) return null
  const [done, total] = [sum(yards, 'done'), sum(yards, 'total')]
  return (
    <section className={styles.strip} aria-label={t('strip.title')}>
      {summed && (
        <div className={styles.sum}>
          <p>
            <strong className={styles.number}>{count(done)}</strong> / {count(total)} {t('strip.vehicles', { n: count(total) })}
          </p>
          <Progress quiet label={t('strip.title')} done={done} total={total} />
        </div>
      )}
      <ul className={styles.columns} aria-label={t('strip.yards')}>
        {shown.map((yard) => (
          <li key={yard.id}>
            <Link href={hrefOf(yard)} className={styles.column} aria-current={yard.id === current ? 'true' : undefined} aria-label={t('strip.yard', { name: yard.name, done: count(yard.done), total: count(yard.total) })}>
              <Column share={yard.done / yard.total} />
              <strong>{yard.name}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </section>
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
