import { useId } from 'react'
import type { InspectionActivity } from '@/api/types'
import type { DateFormatters } from './dateFormatters'
import { listWorkedHours } from './forecast'
import { HourlyColumnChart } from './HourlyColumnChart'
import { findLastWorkedDay } from './lastWorkedDay'
import { useDashboardText } from './text'
import type { WorkingHours } from './workingHours'
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
  const last = findLastWorkedDay(activity, now, formats, t)
  if (last === null) return null
  const { at, name: day, inspected: n } = last
  const Heading = isPanel ? 'h2' : 'h3'
  return (
    <section className={isPanel ? styles.panel : styles.part} aria-labelledby={heading}>
      <Heading id={heading}>{t('chart.perHour', { day })} <span className="quiet">{t('chart.inspected', { n })}{note && ` · ${note}`}</span></Heading>
      <HourlyColumnChart worked={listWorkedHours(activity)} hours={hours} day={at} now={now} label={t('chart.hoursLabel', { day, n })} formats={formats} />
    </section>
  )
}
