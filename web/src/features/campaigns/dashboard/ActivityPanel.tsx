import { useId, useState } from 'react'
import type { InspectionActivity } from '@/api/types'
import { useCurrentTime } from '@/lib/timeAgo'
import { useLanguage } from '@/lib/text'
import { Button } from '@/ui/Button'
import { SingleChoiceChips } from '@/ui/Chips'
import { ActivityTables } from './ActivityTables'
import { listWorkedHours, computeFinishForecast } from './forecast'
import { HourlyInspections } from './HourlyInspections'
import { createDateFormatters } from './dateFormatters'
import { ProgressChart } from './ProgressChart'
import { useDashboardText } from './text'
import { describeRequiredRate, describeProgress } from './describeForecast'
import { getStartOfDay } from './workingHours'
import styles from './ActivityPanel.module.css'

export interface ActivityPanelProps {
  activity: InspectionActivity
  /** Number of vehicles that people inspect per hour, based on the last half hour; 0 when no vehicle was saved in the last 15 minutes. */
  pace: number
  dueAt?: string | null
  /** Whether the campaign is closed. The charts then show no estimated end and no due date. */
  isClosed?: boolean
  /** Whether the panel shows one campaign instead of all campaigns. */
  isCampaign: boolean
  /** Charts to show: the progress over time, the inspections per hour, or both in one panel. */
  part?: 'all' | 'progress' | 'hours'
  /** Text beside the title, such as 'whole campaign' on a page that otherwise shows only one yard. */
  note?: string
}

type Range = 'today' | 'whole'

/** Panel with charts of the progress over time and of the vehicles inspected per hour, or with one of them. */
export function ActivityPanel(props: ActivityPanelProps) {
  const { activity, pace, dueAt, part, note } = props
  const now = useCurrentTime()
  const formats = createDateFormatters(useLanguage())
  if (part !== 'hours') return <ProgressPanel {...props} />
  return <HourlyInspections isPanel note={note} activity={activity} hours={computeFinishForecast(activity, pace, dueAt, now).hours} now={now} formats={formats} />
}

/** Panel with a chart of the progress over time. The person can also show the numbers of the charts as tables. */
function ProgressPanel({ activity, pace, dueAt, isClosed = false, isCampaign, part = 'all', note }: ActivityPanelProps) {
  const t = useDashboardText()
  const now = useCurrentTime()
  const formats = createDateFormatters(useLanguage())
  const [heading, tables] = [useId(), useId()]
  const worked = listWorkedHours(activity)
  const [range, setRange] = useState<Range>(worked.length > 0 && getStartOfDay(worked[0]?.at ?? 0) === getStartOfDay(now) && !dueAt ? 'today' : 'whole')
  const [isTable, setIsTable] = useState(false)
  const forecast = computeFinishForecast(activity, pace, dueAt, now)
  const outlook = isClosed ? { ...forecast, finish: null, need: null } : forecast
  const words = describeProgress(t, activity, outlook, formats, now)
  const from = range === 'today' ? getStartOfDay(now) : 0
  return (
    <section className={styles.panel} aria-labelledby={heading}>
      <div className={styles.head}>
        <h2 id={heading}>
          {t('chart.title')} {note && <span className="quiet">· {note}</span>}
        </h2>
        <SingleChoiceChips<Range> label={t('chart.range')} value={range} onChoose={setRange}
          chips={[{ value: 'today', text: t('chart.today') }, { value: 'whole', text: t(isCampaign ? 'chart.whole' : 'chart.week') }]} />
      </div>
      {worked.length === 0 ? <p className="quiet">{t('chart.none')}</p> : (
        <>
          <p className={styles.words}>{words}</p>
          {outlook.need && <p className={outlook.need.isLate ? styles.late : styles.need}>{describeRequiredRate(t, outlook, pace, formats, now)}</p>}
          <ProgressChart activity={activity} outlook={outlook} now={now} isToday={range === 'today'} label={words} formats={formats} />
          {part === 'all' && <HourlyInspections activity={activity} hours={outlook.hours} now={now} formats={formats} />}
          <div className={styles.tables}>
            <Button kind="quiet" icon="sheet" aria-expanded={isTable} aria-controls={tables} onClick={() => setIsTable(!isTable)}>
              {t(isTable ? 'chart.hideTable' : 'chart.showTable')}
            </Button>
          </div>
          <div id={tables} hidden={!isTable}>{isTable && <ActivityTables activity={activity} formats={formats} from={from} />}</div>
        </>
      )}
    </section>
  )
}
