import { useId, useState } from 'react'
import { useIsServerReachable } from '@/api/connectivity'
import type { Vehicle } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { Icon } from '@/ui/Icon'
import { LazyTimeline } from '@/ui/LazyTimeline'
import { useTimelineText } from '@/ui/TimelineText'
import styles from './HistorySection.module.css'

const loadTimeline = async () => (await import('./VehicleTimeline')).VehicleTimeline

/** History of a vehicle: always open on wide screens, behind a button on phones. */
export function HistorySection({ vehicle }: { vehicle: Vehicle }) {
  const t = useTimelineText()
  const isOnline = useIsServerReachable()
  const isWide = useMediaQuery('(min-width: 900px)')
  const [isUnfolded, setIsUnfolded] = useState(false)
  const [heading, body] = [useId(), useId()]
  const isOpen = isWide || isUnfolded
  return (
    <section className={styles.history} aria-labelledby={heading}>
      <h2 id={heading} className={isWide ? styles.title : undefined}>
        {isWide ? t('history.title') : (
          <button type="button" className={styles.fold} aria-expanded={isOpen} aria-controls={body} onClick={() => setIsUnfolded(!isUnfolded)}>
            {t('history.title')}
            <Icon name="down" size={20} />
          </button>
        )}
      </h2>
      <div id={body} className={styles.body} hidden={!isOpen}>
        {isOpen && <LazyTimeline load={loadTimeline} props={{ vehicle }} isOnline={isOnline} />}
      </div>
    </section>
  )
}
