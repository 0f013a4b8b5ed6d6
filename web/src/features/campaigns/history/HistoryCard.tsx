import { useId, useState } from 'react'
import { useIsServerReachable } from '@/api/connectivity'
import { Icon } from '@/ui/Icon'
import { LazyTimeline } from '@/ui/LazyTimeline'
import { Card } from '@/ui/Page'
import { useTimelineText } from '@/ui/TimelineText'
import styles from './HistoryCard.module.css'

const loadTimeline = async () => (await import('./CampaignTimeline')).CampaignTimeline

/** Card with the history of a campaign, closed at first. The history is loaded when the person opens the card. */
export function HistoryCard({ campaign }: { campaign: number }) {
  const t = useTimelineText()
  const isOnline = useIsServerReachable()
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
        {isOpen && <LazyTimeline load={loadTimeline} props={{ campaign }} isOnline={isOnline} />}
      </div>
    </Card>
  )
}
