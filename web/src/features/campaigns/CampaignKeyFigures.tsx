import type { ReactNode } from 'react'
import type { InspectionActivity, InspectionPace } from '@/api/types'
import { useCurrentTime } from '@/lib/timeAgo'
import { useLanguage } from '@/lib/text'
import { formatCount } from '@/lib/format'
import { formatPercentage } from '@/lib/percentage'
import { ProgressBar } from '@/ui/ProgressBar'
import type { CampaignWithPendingSaves } from './api'
import type { FinishForecast } from './dashboard/forecast'
import { createDateFormatters } from './dashboard/dateFormatters'
import { useDashboardText } from './dashboard/text'
import { formatFinishTimeRange } from './dashboard/describeForecast'
import { sumInspectionsPerHour } from './inspectionsPerHour'
import { PendingSavesLine } from './PendingSavesLine'
import { countDefectiveVehicles, sumStatusCounts } from './StatusStackedBar'
import { useCampaignsText } from './text'
import styles from './CampaignKeyFigures.module.css'

const NONE = '–'
/** Length in characters of a time of day, such as `16:30`. Longer texts are shown in a smaller font. */
const TIME_LENGTH = 5

interface NumbersProps {
  campaign: CampaignWithPendingSaves
  pace: InspectionPace | undefined
  activity: InspectionActivity | undefined
  forecast: FinishForecast
  /** Id of the chosen yard, whose figures are shown; `null` for the whole campaign. */
  yard: number | null
}

/**
 * Key figures of a campaign or of one of its yards: vehicles inspected, vehicles left, pace, estimated end, and vehicles with a defect. A
 * closed campaign has no pace and no estimated end.
 */
export function CampaignKeyFigures({ campaign, pace, activity, forecast, yard, manages }: NumbersProps & { manages: boolean }) {
  const t = useCampaignsText()
  const { total_inspected: done, total_vehicles: total, progress_unknown: isUnknown } = campaign
  const isShown = ({ yard_id }: { yard_id?: number | null }) => yard === null || yard_id === yard
  const working = pace?.people.filter(isShown) ?? []
  const people = new Set(working.map(({ hmc }) => hmc)).size
  // The pace of one yard can be the pace of one person, which only team leaders and supervisors may see.
  const isWhole = yard === null || !manages
  const perHour = isWhole ? (pace?.per_hour ?? 0) : sumInspectionsPerHour(working)
  const isGoing = (isWhole ? (pace?.people.length ?? 0) : people) > 0
  const isClosed = campaign.status === 'Closed'
  const statuses = activity && sumStatusCounts(activity.yards.filter(isShown))
  const wrong = statuses ? countDefectiveVehicles(statuses) : null
  // Not the inspected vehicles, because a vehicle that was set to Repair in bulk has a status and is not inspected.
  const withStatus = statuses?.reduce((sum, { vehicles }) => sum + vehicles, 0) ?? 0
  return (
    <dl className={`${styles.numbers} ${isClosed ? styles.closed : ''}`}>
      <div className={styles.wide}>
        <dt>{t('number.inspected')}</dt>
        <dd>
          <ProgressBar label={t('campaigns.progressOf', { name: campaign.name })} done={done} total={total} unknown={isUnknown} ticks={48} />
          <span className="quiet">{total > 0 && !isUnknown && statuses ? t('number.percentStatus', { n: formatPercentage(withStatus, total) }) : '\u00a0'}</span>
          <PendingSavesLine n={campaign.unsent} />
        </dd>
      </div>
      <Figure name={t('number.left')} value={isUnknown ? NONE : formatCount(total - done)} more={total > 0 && t('number.percentLeft', { n: formatPercentage(total - done, total) })} />
      {!isClosed && <Figure name={t('number.pace')} value={isGoing ? formatCount(Math.round(perHour)) : NONE} more={isGoing && (yard !== null && isWhole ? t('number.wholeCampaign') : t('number.people', { n: people }))} />}
      {!isClosed && <FinishFigure forecast={forecast} yard={yard} />}
      <Figure name={t('number.wrong')} value={wrong === null ? NONE : formatCount(wrong)} more={wrong !== null && withStatus > 0 && t('number.percentWrong', { n: formatPercentage(wrong, withStatus) })} />
    </dl>
  )
}

/**
 * Figure with the estimated end of the whole campaign, as a time range if hourly counts are loaded. Also states whether the campaign will
 * meet its due date.
 */
function FinishFigure({ forecast: { finish, need }, yard }: Pick<NumbersProps, 'forecast' | 'yard'>) {
  const t = useDashboardText()
  const words = useCampaignsText()
  const formats = createDateFormatters(useLanguage())
  const now = useCurrentTime()
  const value = finish === null ? NONE : formatFinishTimeRange(finish, formats, now, t)
  const due = need && words(need.isLate ? 'number.late' : 'number.onTime')
  return <Figure name={words('number.finish')} value={value} more={[yard !== null && words('number.wholeCampaign'), due].filter(Boolean).join(' · ')} isText={value.length > TIME_LENGTH} />
}

function Figure({ name, value, more, isText = false }: { name: string; value: string; more?: ReactNode; isText?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong className={isText ? styles.text : undefined}>{value}</strong> {more && <span className="quiet">{more}</span>}
      </dd>
    </div>
  )
}
