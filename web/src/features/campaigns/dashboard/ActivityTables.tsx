import type { InspectionActivity } from '@/api/types'
import { formatCount } from '@/lib/format'
import table from '@/ui/Table.module.css'
import { accumulateHourlyActivity } from './forecast'
import type { DateFormatters } from './dateFormatters'
import { useDashboardText } from './text'
import styles from './ActivityTables.module.css'

interface ActivityTablesProps {
  activity: InspectionActivity
  formats: DateFormatters
  /** Start of the first hour that the tables show, in milliseconds since 1970. */
  from: number
}

/** Tables with the numbers of the charts: the inspection work of each hour, newest first, and of each person. */
export function ActivityTables({ activity, formats, from }: ActivityTablesProps) {
  const t = useDashboardText()
  const hours = accumulateHourlyActivity(activity).filter(({ at }) => at >= from).toReversed()
  const people = activity.people.toSorted((a, b) => a.hmc.localeCompare(b.hmc))
  return (
    <div className={styles.tables} tabIndex={0} role="region" aria-label={t('chart.tables')}>
      <table className={table.table}>
        <thead>
          <tr>
            {[t('chart.hour'), t('number.inspected'), t('chart.saves'), t('number.wrong'), t('chart.sum')].map((name) => <th key={name} scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {hours.map(({ at, inspected, saves, wrong, done: sum }) => (
            <tr key={at}>
              <th scope="row">{formats.day(at)}, {formats.time(at)}</th>
              {[inspected, saves, wrong, sum].map((value, n) => <td key={n}>{formatCount(value)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      {people.length > 0 && (
        <table className={table.table}>
          <thead>
            <tr>
              {[t('chart.person'), t('number.inspected'), t('chart.saves'), t('number.wrong')].map((name) => <th key={name} scope="col">{name}</th>)}
            </tr>
          </thead>
          <tbody>
            {people.map(({ hmc, inspected, saves, found_wrong }) => (
              <tr key={hmc}>
                <th scope="row" className="mono">{hmc}</th>
                {[inspected, saves, found_wrong].map((value, n) => <td key={n}>{formatCount(value)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}
