import { useId } from 'react'
import type { InspectionActivity } from '@/api/types'
import { formatCount } from '@/lib/format'
import type { DateFormatters } from './dateFormatters'
import { listWorkedHours } from './forecast'
import { HourlyColumnChart } from './HourlyColumnChart'
import { useDashboardText } from './text'
import { getStartOfDay, type WorkingHours } from './workingHours'
import styles from './HourlyInspections.module.css'

interface HourlyInspectionsProps {
  activity: InspectionActivity
  hours: WorkingHours
  now: number
  formats: DateFormatters
  /** Whether the chart is a panel of its own instead of a part of another panel. */
  isPanel?: boolean
  /** Text beside the title, such as 'whole campaign' on a page that otherwise shows only one yard. */
  note?: string
}

/** Chart of the vehicles inspected per hour on the last day with inspections, with its heading. Renders nothing before the first inspection. */
export function HourlyInspections({ activity, hours, now, formats, isPanel = false, note }: HourlyInspectionsProps) {
  const t = useDashboardText()
  const heading = useId()
  const worked = listWorkedHours(activity)
  const lastWork = worked.at(-1)?.at
  if (lastWork === undefined) return null
  const begin = getStartOfDay(lastWork)
  const day = begin === getStartOfDay(now) ? t('chart.today').toLocaleLowerCase() : formats.day(lastWork)
  const n = formatCount(worked.filter(({ at }) => getStartOfDay(at) === begin).reduce((all, { inspected }) => all + inspected, 0))
  const Heading = isPanel ? 'h2' : 'h3'
  return (
    <section className={isPanel ? styles.panel : styles.part} aria-labelledby={heading}>
      <Heading id={heading}>{t('chart.perHour', { day })} <span className="quiet">{t('chart.inspected', { n })}{note && ` · ${note}`}</span></Heading>
      <HourlyColumnChart worked={worked} hours={hours} day={lastWork} now={now} label={t('chart.hoursLabel', { day, n })} formats={formats} />
    </section>
  )
}
