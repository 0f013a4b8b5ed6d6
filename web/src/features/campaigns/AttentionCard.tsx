import { useQueries } from '@tanstack/react-query'
import { useOpenConflictCount } from '@/api/conflicts'
import { formatTimeAgo, useCurrentTime } from '@/lib/ago'
import { buildPath } from '@/lib/route'
import { useLanguage } from '@/lib/text'
import { formatCount } from '@/lib/time'
import { pendingSavesOnDevicesQuery } from './api'
import type { MissingVehicleRun } from './dashboard/bays'
import { AttentionItem } from './AttentionItem'
import { useCampaignsText } from './text'
import type { YardProgress } from './YardProgressStrip'
import styles from './AttentionCard.module.css'

interface AttentionCardProps {
  /** Ids of the campaigns whose unsent saves are counted. */
  campaigns: number[]
  /** Campaign whose conflicts are counted; all campaigns when absent. */
  campaign?: number
  /** Idle yards: yards with uninspected vehicles and no active user, while other yards have active users. `to` is the URL of the yard. */
  idle?: { yard: YardProgress; to: string }[]
  /** Unbroken sequences of neighbouring parking spaces whose vehicles have the status Not Found. */
  missing?: MissingVehicleRun[]
}

/** Maximum number of idle yards, and of sequences of missing vehicles, that the card lists. The largest are listed. */
const MAX_NAMED = 3

/** Card with what needs attention from team leaders and supervisors: open conflicts, saves pending on phones, idle yards and missing vehicles. */
export function AttentionCard({ campaigns, campaign, idle = [], missing = [] }: AttentionCardProps) {
  const t = useCampaignsText()
  const now = useCurrentTime()
  const language = useLanguage()
  const conflicts = useOpenConflictCount(campaign)
  const devices = useQueries({ queries: campaigns.map((id) => ({ ...pendingSavesOnDevicesQuery(id), staleTime: 60_000 })) })
  const held = devices.flatMap(({ data }) => data?.held ?? []).toSorted((a, b) => Date.parse(a.oldest_at) - Date.parse(b.oldest_at))
  const isKnown = conflicts !== undefined && devices.every(({ isPending }) => !isPending)
  return (
    <section className={styles.card} aria-labelledby="attention">
      <h2 id="attention">{t('attention.title')}</h2>
      {conflicts !== undefined && conflicts > 0 && <AttentionItem isUrgent icon="warning" to={buildPath('/conflicts', { campaign })} text={t('conflicts.open', { n: conflicts })} />}
      {held.length > 0 && (
        <>
          <h3 className={styles.part}>{t('attention.devices')}</h3>
          <ul className={styles.held}>
            {held.map(({ hmc, device, saves, oldest_at }) => (
              <li key={`${hmc ?? ''} ${device}`}>
                <strong className="mono ellipsis" title={hmc ?? undefined}>
                  {hmc ?? '?'}
                </strong>
                <span className="quiet">{t('held.line', { n: saves, age: formatTimeAgo(Date.parse(oldest_at), now, language) })}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {idle.slice(0, MAX_NAMED).map(({ yard: { id, name, done, total }, to }) => (
        <AttentionItem key={id} icon="people" to={to} text={t('attention.idle', { name, n: formatCount(total - done) })} />
      ))}
      {idle.length > MAX_NAMED && <p className="quiet">{t('attention.moreIdle', { n: idle.length - MAX_NAMED })}</p>}
      {missing.slice(0, MAX_NAMED).map(({ first, last, vehicles }) => (
        <AttentionItem key={first} icon="question" to={buildPath(`/campaign/${campaign ?? 0}/vehicles`, { status: 'Not Found' })} text={t('attention.missing', { n: formatCount(vehicles), first, last })} />
      ))}
      {isKnown && conflicts === 0 && held.length === 0 && idle.length === 0 && missing.length === 0 && <p className="quiet">{t('attention.none')}</p>}
    </section>
  )
}
