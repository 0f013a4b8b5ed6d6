import type { ReactNode } from 'react'
import type { InspectionPace } from '@/api/types'
import { useCurrentTime } from '@/lib/ago'
import { formatCount } from '@/lib/time'
import { Progress } from '@/ui/Progress'
import type { CampaignWithUnsent } from './api'
import { formatFinishTime } from './finish'
import { PendingSavesLine } from './PendingSavesLine'
import { useCampaignsText } from './text'
import styles from './CampaignNumbers.module.css'

const NONE = '–'

/** The numbers of a campaign in one row: inspected, left, pace and estimated end. */
export function CampaignNumbers({ campaign, pace }: { campaign: CampaignWithUnsent; pace: InspectionPace | undefined }) {
  const t = useCampaignsText()
  const now = useCurrentTime()
  const { total_inspected: done, total_vehicles: total, progress_unknown: isUnknown } = campaign
  const people = new Set(pace?.people.map(({ hmc }) => hmc)).size
  const isGoing = pace !== undefined && people > 0
  return (
    <dl className={styles.numbers}>
      <div className={styles.wide}>
        <dt>{t('number.inspected')}</dt>
        <dd>
          <Progress label={t('campaigns.progressOf', { name: campaign.name })} done={done} total={total} unknown={isUnknown} />
          <PendingSavesLine n={campaign.unsent} />
        </dd>
      </div>
      <Figure name={t('number.left')} value={isUnknown ? NONE : formatCount(total - done)} more={total > 0 && t('number.percent', { n: Math.round((100 * (total - done)) / total) })} />
      <Figure name={t('number.pace')} value={isGoing ? formatCount(Math.round(pace.per_hour)) : NONE} more={isGoing && t('number.people', { n: people })} />
      <Figure name={t('number.finish')} value={isGoing && pace.finish_at ? formatFinishTime(pace.finish_at, now) : NONE} />
    </dl>
  )
}

function Figure({ name, value, more }: { name: string; value: string; more?: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong> {more && <span className="quiet">{more}</span>}
      </dd>
    </div>
  )
}
