import { useId, useState } from 'react'
import type { InspectionActivity } from '@/api/types'
import { useCurrentTime } from '@/lib/timeAgo'
import { useLanguage } from '@/lib/text'
import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { SingleChoiceChips } from '@/ui/Chips'
import { ActivityTables } from './ActivityTables'
import { toHourlyActivity, computeFinishForecast } from './forecast'
import { HourlyColumnChart } from './HourlyColumnChart'
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
  /** Text beside the title, such as 'whole campaign' on a page that otherwise shows only one yard. */
  note?: string
}

type Range = 'today' | 'whole'

/** Panel with charts of the progress over time and of the vehicles inspected per hour. The person can also show the numbers of the charts as tables. */
export function ActivityPanel({ activity, pace, dueAt, isClosed = false, isCampaign, note }: ActivityPanelProps) {
  const t = useDashboardText()
  const now = useCurrentTime()
  const formats = createDateFormatters(useLanguage())
  const [heading, hourly, tables] = [useId(), useId(), useId()]
  const worked = toHourlyActivity(activity).filter(({ inspected, saves }) => inspected !== 0 || saves > 0)
  const lastWork = worked.at(-1)?.at ?? now
  const isWorkedToday = getStartOfDay(lastWork) === getStartOfDay(now)
  const [range, setRange] = useState<Range>(worked.length > 0 && getStartOfDay(worked[0]?.at ?? 0) === getStartOfDay(now) && !dueAt ? 'today' : 'whole')
  const [isTable, setIsTable] = useState(false)
  const forecast = computeFinishForecast(activity, pace, dueAt, now)
  const outlook = isClosed ? { ...forecast, finish: null, need: null } : forecast
  const words = describeProgress(t, activity, outlook, formats, now)
  const day = isWorkedToday ? t('chart.today').toLocaleLowerCase() : formats.day(lastWork)
  const sum = worked.filter(({ at }) => getStartOfDay(at) === getStartOfDay(lastWork)).reduce((all, { inspected }) => all + inspected, 0)
  const perHour = t('chart.hoursLabel', { day, n: formatCount(sum) })
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
          <h3 id={hourly} className={styles.part}>{t('chart.perHour', { day })} <span className="quiet">{t('chart.inspected', { n: formatCount(sum) })}</span></h3>
          <HourlyColumnChart worked={worked} hours={outlook.hours} day={lastWork} now={now} label={perHour} formats={formats} />
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
