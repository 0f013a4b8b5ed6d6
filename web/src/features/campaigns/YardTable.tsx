import type { ReactNode } from 'react'
import type { InspectionActivity, InspectionPace } from '@/api/types'
import { useCurrentTime } from '@/lib/timeAgo'
import { Link } from '@/lib/route'
import { useLanguage } from '@/lib/text'
import { formatCount } from '@/lib/format'
import { compareNamesNaturally, isVisibleYard, isYardWithoutName } from '@/lib/yards'
import { Icon } from '@/ui/Icon'
import table from '@/ui/Table.module.css'
import { createDateFormatters } from './dashboard/dateFormatters'
import { formatFinishTimeRange } from './dashboard/describeForecast'
import { estimateFinishTime, type FinishForecast } from './dashboard/forecast'
import { useDashboardText } from './dashboard/text'
import type { WorkingHours } from './dashboard/workingHours'
import { sumInspectionsPerHour } from './inspectionsPerHour'
import { countDefectiveVehicles, StatusLegend, StatusStackedBar, sumStatusCounts, type StatusCounts } from './StatusStackedBar'
import { nameYard } from './nameYard'
import { useCampaignsText } from './text'
import type { YardProgress } from './YardProgressStrip'
import styles from './YardTable.module.css'

interface YardTableProps {
  yards: YardProgress[]
  pace: InspectionPace | undefined
  activity: InspectionActivity | undefined
  forecast: FinishForecast
  hrefOf: (yard: YardProgress) => string
  /** Id of the chosen yard; `null` when no yard is chosen. */
  current: number | null
  /**
   * Whether the pace of each yard is shown. Only team leaders and supervisors see the pace, because it may be the pace of a single
   * person.
   */
  manages: boolean
}

const NONE = '–'
const hasVehicles = ({ total }: YardProgress) => total > 0

/** Returns the yards of a campaign that have vehicles, sorted by name, without the groups '-' and '0' (see `listUnassignedGroups`). */
export const listYardsWithVehicles = (yards: YardProgress[]): YardProgress[] =>
  yards.filter((yard) => hasVehicles(yard) && isVisibleYard(yard)).toSorted((a, b) => compareNamesNaturally(a.name, b.name))

/**
 * Returns the groups '-' and '0'. They contain the parking spaces that begin with a dash or a 0 and belong to no real yard. The table lists
 * these groups last, so that its rows add up to the totals. The server omits '-' for operators.
 */
const listUnassignedGroups = (yards: YardProgress[]): YardProgress[] => yards.filter((yard) => hasVehicles(yard) && !isVisibleYard(yard))

/** Progress and statuses of each yard of a campaign as a table, with the people who work there and a last row for all yards. A click on a row opens the yard. */
export function YardTable({ yards, pace, activity, forecast: { hours, finish }, hrefOf, current, manages }: YardTableProps) {
  const t = useCampaignsText()
  const now = useCurrentTime()
  const words = useDashboardText()
  const formats = createDateFormatters(useLanguage())
  const shown = [...listYardsWithVehicles(yards), ...listUnassignedGroups(yards)]
  if (shown.length === 0) return null
  const isWorked = (pace?.people.length ?? 0) > 0
  const statusesOf = (id: number) => activity?.yards.find(({ yard_id }) => yard_id === id)?.statuses ?? []
  const all = sumStatusCounts(activity?.yards ?? [])
  const sum = (what: 'done' | 'total') => shown.reduce((count, yard) => count + yard[what], 0)
  return (
    <section className={styles.yards} aria-labelledby="yards">
      <div className={styles.head}>
        <h2 id="yards">{t('yardTable.title')}</h2>
        <StatusLegend counts={all} />
      </div>
      <table className={`${table.table} ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('campaign.yard')}</th>
            <th scope="col">{t('strip.title')}</th>
            <th scope="col" className={styles.number}>{t('number.inspected')}</th>
            <th scope="col" className={`${styles.number} ${styles.total}`}>{t('yardTable.total')}</th>
            <th scope="col" className={styles.number}>{t('number.left')}</th>
            <th scope="col" className={styles.number}>{t('number.wrong')}</th>
            {isWorked && manages && <th scope="col" className={`${styles.number} ${styles.rate}`}>{t('yardTable.perHour')}</th>}
            {isWorked && manages && <th scope="col" className={`${styles.number} ${styles.finish}`}>{t('number.finish')}</th>}
            {isWorked && <th scope="col" className={styles.people}>{t('pace.title')}</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((yard) => (
            <tr key={yard.id} className={yard.id === current ? styles.current : undefined}>
              <td>
                <Link href={hrefOf(yard)} className={table.rowLink} aria-current={yard.id === current ? 'true' : undefined}
                  aria-label={t('strip.yard', { yard: nameYard(t, yard.name), done: formatCount(yard.done), total: formatCount(yard.total) })}>
                  {isYardWithoutName(yard.name) ? nameYard(t, yard.name) : yard.name}
                </Link>
              </td>
              <Counts label={nameYard(t, yard.name)} counts={statusesOf(yard.id)} done={yard.done} total={yard.total} />
              {isWorked && (
                <Work yard={yard} people={pace?.people.filter(({ yard_id }) => yard_id === yard.id) ?? []} hours={hours} manages={manages}>
                  {(names) => names.join(', ') || (yard.done < yard.total && isVisibleYard(yard) ? <span className={styles.nobody}>{t('yardTable.nobody')}</span> : <span className={styles.none}>{NONE}</span>)}
                </Work>
              )}
            </tr>
          ))}
        </tbody>
        {shown.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">{t('yardTable.all')}</th>
              <Counts label={t('yardTable.all')} counts={all} done={sum('done')} total={sum('total')} />
              {isWorked && (
                <Work yard={{ done: sum('done'), total: sum('total') }} people={pace?.people ?? []} hours={hours} end={finish === null ? '' : formatFinishTimeRange(finish, formats, now, words)} manages={manages}>
                  {(names) => t('number.people', { n: names.length })}
                </Work>
              )}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  )
}

/** Returns the idle yards, the yard with the most uninspected vehicles first. Idle yards have uninspected vehicles and no active user, while other yards have active users. */
export function listIdleYards(yards: YardProgress[], pace: InspectionPace | undefined): YardProgress[] {
  if (pace === undefined || pace.people.length === 0) return []
  const idle = yards.filter((yard) => yard.done < yard.total && isVisibleYard(yard) && !pace.people.some(({ yard_id }) => yard_id === yard.id))
  return idle.toSorted((a, b) => b.total - b.done - (a.total - a.done) || compareNamesNaturally(a.name, b.name))
}

/**
 * Table cells with the vehicle counts of one yard, or of all yards: a bar of statuses, and the inspected, total, remaining and defective
 * vehicles.
 */
function Counts({ label, counts, done, total }: { label: string; counts: StatusCounts; done: number; total: number }) {
  const t = useCampaignsText()
  const wrong = countDefectiveVehicles(counts)
  return (
    <>
      <td className={styles.bar}>
        <StatusStackedBar label={t('campaigns.progressOf', { name: label })} counts={counts} done={done} total={total} />
      </td>
      <td className={styles.number} data-total={formatCount(total)}>{formatCount(done)}</td>
      <td className={`${styles.number} ${styles.total}`}>{formatCount(total)}</td>
      <td className={styles.number}>{done >= total ? <Done /> : <strong>{formatCount(total - done)}</strong>}</td>
      <td className={`${styles.number} ${wrong === 0 ? styles.none : styles.wrong}`}>{wrong === 0 ? NONE : formatCount(wrong)}</td>
    </>
  )
}

interface WorkProps {
  yard: Pick<YardProgress, 'done' | 'total'>
  people: InspectionPace['people']
  hours: WorkingHours
  /**
   * Estimated end of the campaign, in the row of all yards. Absent in the rows of single yards, where the end is estimated from the yard's
   * own pace.
   */
  end?: string
  manages: boolean
  children: (names: string[]) => ReactNode
}

/** Table cells with the current work in one yard, or in all yards: vehicles per hour, estimated end, and the people who work there. */
function Work({ yard: { done, total }, people, hours, end, manages, children }: WorkProps) {
  const formats = createDateFormatters(useLanguage())
  const now = useCurrentTime()
  const perHour = sumInspectionsPerHour(people)
  const estimated = done < total ? estimateFinishTime(total - done, perHour, hours, now) : null
  const shown = end ?? (estimated === null ? '' : formats.moment(estimated, now))
  const names = [...new Set(people.map(({ hmc }) => hmc))]
  return (
    <>
      {manages && <td className={`${styles.number} ${styles.rate} ${perHour > 0 ? '' : styles.none}`}>{perHour > 0 ? formatCount(Math.round(perHour)) : NONE}</td>}
      {manages && <td className={`${styles.number} ${styles.finish} ${shown ? '' : styles.none}`}>{shown || NONE}</td>}
      <td className={`${styles.people} ellipsis`} title={names.join(', ') || undefined}>{children(names)}</td>
    </>
  )
}

function Done() {
  const t = useCampaignsText()
  return (
    <span className={styles.done}>
      <Icon name="check" size={16} />
      {t('yardTable.done')}
    </span>
  )
}
