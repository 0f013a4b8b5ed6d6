import { useEffect, useId, useState, type ComponentType } from 'react'
import { useOnline } from '@/api/connectivity'
import { Icon } from '@/ui/Icon'
import { Card, Skeleton } from '@/ui/Page'
import { HistoryFailure } from './HistoryFailure'
import { useCampaignHistoryText } from './text'
import styles from './HistoryCard.module.css'

/** History of a campaign behind a button. Nothing is loaded before it is opened. */
export function HistoryCard({ campaign }: { campaign: number }) {
  const t = useCampaignHistoryText()
  const [isOpen, setIsOpen] = useState(false)
  const body = useId()
  return (
    <Card label={t('history.title')}>
      <h2>
        <button type="button" className={styles.fold} aria-expanded={isOpen} aria-controls={body} onClick={() => setIsOpen(!isOpen)}>
          {t('history.title')}
          <Icon name="down" size={20} />
        </button>
      </h2>
      <div id={body} hidden={!isOpen}>
        {isOpen && <Loaded campaign={campaign} />}
      </div>
    </Card>
  )
}

/** Loads the code of the timeline when it is first shown. A failure to load the code leaves the rest of the page as it is. */
function Loaded({ campaign }: { campaign: number }) {
  const t = useCampaignHistoryText()
  const isOnline = useOnline()
  const [attempt, setAttempt] = useState(1)
  const [failedAttempt, setFailedAttempt] = useState(0)
  const [part, setPart] = useState<{ Timeline: ComponentType<{ campaign: number }> } | null>(null)
  useEffect(() => {
    import('./CampaignTimeline').then(({ CampaignTimeline }) => setPart({ Timeline: CampaignTimeline }), () => setFailedAttempt(attempt))
  }, [attempt])
  if (part !== null) return <part.Timeline campaign={campaign} />
  if (failedAttempt < attempt) return <Skeleton rows={3} height={64} label={t('history.loading')} />
  return <HistoryFailure text={t(isOnline ? 'history.partNotLoaded' : 'history.offline')} onRetry={() => setAttempt(attempt + 1)} />
}
