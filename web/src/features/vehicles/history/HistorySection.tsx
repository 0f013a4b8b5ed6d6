import { useEffect, useId, useState, type ComponentType } from 'react'
import { useOnline } from '@/api/connectivity'
import type { Vehicle } from '@/api/types'
import { useMediaQuery } from '@/lib/media'
import { Icon } from '@/ui/Icon'
import { Skeleton } from '@/ui/Page'
import { HistoryNotice } from './HistoryNotice'
import { useHistoryText } from './text'
import styles from './HistorySection.module.css'

interface HistoryProps {
  vehicle: Vehicle
}

/** History of a vehicle: always open on wide screens, behind a button on phones. */
export function HistorySection({ vehicle }: HistoryProps) {
  const t = useHistoryText()
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
        {isOpen && <Loaded vehicle={vehicle} />}
      </div>
    </section>
  )
}

/** Loads the code of the timeline when it is first shown. A failure to load the code must not replace the form by an error page. */
function Loaded({ vehicle }: HistoryProps) {
  const t = useHistoryText()
  const isOnline = useOnline()
  const [attempt, setAttempt] = useState(1)
  const [failedAttempt, setFailedAttempt] = useState(0)
  const [part, setPart] = useState<{ Timeline: ComponentType<HistoryProps> } | null>(null)
  useEffect(() => {
    import('./VehicleTimeline').then(({ VehicleTimeline }) => setPart({ Timeline: VehicleTimeline }), () => setFailedAttempt(attempt))
  }, [attempt])
  if (part !== null) return <part.Timeline vehicle={vehicle} />
  if (failedAttempt < attempt) return <Skeleton rows={3} height={64} label={t('history.loading')} />
  return <HistoryNotice text={t(isOnline ? 'history.partNotLoaded' : 'history.offline')} onRetry={() => setAttempt(attempt + 1)} />
}
