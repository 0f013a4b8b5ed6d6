import { useId } from 'react'
import { Link } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { isVisibleYard, compareNamesNaturally } from '@/lib/yards'
import { Icon } from '@/ui/Icon'
import { Skeleton } from '@/ui/Page'
import { ProgressBar } from '@/ui/ProgressBar'
import { nameYard } from './nameYard'
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
  /** Number of all vehicles left, including those whose parking space names no yard; by default the number in `yards`. */
  left?: number
  /** Whether the total progress of all yards is shown above the columns of the yards. */
  summed?: boolean
}

const HEIGHT = 40
const sum = (yards: YardProgress[], what: 'done' | 'total') => yards.reduce((all, yard) => all + yard[what], 0)
const countLeft = (yards: YardProgress[]) => sum(yards, 'total') - sum(yards, 'done')

/** Placeholder of the same height as the yard strip, shown while the progress is loading. */
export function YardProgressSkeleton({ summed = false }: { summed?: boolean }) {
  const t = useCampaignsText()
  return <Skeleton className={summed ? styles.summedPlace : styles.place} label={t('common.loading')} />
}

/**
 * Vehicles left in each yard, as columns that become lower with each inspection. A tap on a column opens the yard. Vehicles outside the
 * yards, as in the groups '-' and '0', have no column, so a line beside the title states how many of them are left.
 */
export function YardProgressStrip({ yards, hrefOf, current = null, left = countLeft(yards), summed = false }: YardStripProps) {
  const t = useCampaignsText()
  const heading = useId()
  const shown = yards.filter((yard) => yard.total > 0 && isVisibleYard(yard)).toSorted((a, b) => compareNamesNaturally(a.name, b.name))
  if (shown.length === 0) return null
  const [done, total] = [sum(yards, 'done'), sum(yards, 'total')]
  const outside = left - countLeft(shown)
  const most = Math.max(...shown.map(({ total: all, done: inspected }) => all - inspected))
  return (
    <section id="yards" className={styles.strip} {...(summed ? { 'aria-label': t('strip.title') } : { 'aria-labelledby': heading })}>
      {summed && (
        <div className={styles.sum}>
          <p>
            <strong className={styles.number}>{formatCount(done)}</strong> / {formatCount(total)} {t('strip.vehicles', { n: formatCount(total) })}
          </p>
          <ProgressBar quiet label={t('strip.title')} done={done} total={total} ticks={48} />
        </div>
      )}
      <div className={styles.yards}>
        <div className={styles.head}>
          <h2 id={heading}>{t('strip.left')}</h2>
          {outside > 0 && <p>{t('strip.outside', { n: formatCount(outside) })}</p>}
        </div>
        <ul className={styles.columns} aria-label={t('strip.yards')} data-digits={String(most).length}>
          {shown.map((yard) => <YardColumn key={yard.id} yard={yard} most={most} href={hrefOf(yard)} isCurrent={yard.id === current} />)}
        </ul>
      </div>
    </section>
  )
}

/**
 * Column of one yard, whose height compares the vehicles left with those of the yard that has `most` left. Its tooltip states the number of inspected and of all vehicles, because a narrow column shows only the yard's letter
 * and the bar.
 */
function YardColumn({ yard, most, href, isCurrent }: { yard: YardProgress; most: number; href: string; isCurrent: boolean }) {
  const t = useCampaignsText()
  const label = t('strip.yard', { yard: nameYard(t, yard.name), done: formatCount(yard.done), total: formatCount(yard.total) })
  const left = formatCount(yard.total - yard.done)
  return (
    <li>
      <Link href={href} className={styles.column} aria-current={isCurrent ? 'true' : undefined} aria-label={label} title={label}>
        <Column share={most === 0 ? 0 : (yard.total - yard.done) / most} />
        <strong>{yard.name}</strong>
        {yard.done < yard.total ? <span className={styles.left} data-left={left} data-words={t('strip.leftIn', { n: left })} /> : <Icon name="check" size={14} />}
      </Link>
    </li>
  )
}

/** Bar that is filled from below by a share from 0 to 1. */
function Column({ share }: { share: number }) {
  const height = Math.max(share * HEIGHT, share > 0 ? 2 : 0)
  return (
    <svg className={styles.bar} width="14" height={HEIGHT} viewBox={`0 0 14 ${HEIGHT}`} aria-hidden="true" focusable="false">
      <rect className={styles.track} width="14" height={HEIGHT} rx="4" />
      <rect className={styles.fill} y={HEIGHT - height} width="14" height={height} rx={Math.min(4, height / 2)} />
    </svg>
  )
}
