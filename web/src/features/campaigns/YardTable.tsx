import type { Activity, InspectionPace } from '@/api/types'
import { Link } from '@/lib/route'
import { formatCount } from '@/lib/time'
import { compareNaturally, isShownYard } from '@/lib/yards'
import { Icon } from '@/ui/Icon'
import table from '@/ui/Table.module.css'
import { countDefects, StatusLegend, StatusStackedBar, sumStatuses } from './StatusStackedBar'
import { useCampaignsText } from './text'
import type { YardProgress } from './YardProgressStrip'
import styles from './YardTable.module.css'

interface YardTableProps {
  yards: YardProgress[]
  pace: InspectionPace | undefined
  activity: Activity | undefined
  hrefOf: (yard: YardProgress) => string
  /** Id of the chosen yard; `null` when no yard is chosen. */
  current: number | null
}

/** Returns the yards of a campaign that have vehicles, by name. */
export const listShownYards = (yards: YardProgress[]): YardProgress[] =>
  yards.filter((yard) => yard.total > 0 && isShownYard(yard)).toSorted((a, b) => compareNaturally(a.name, b.name))

/** Progress and statuses of each yard of a campaign as a table, with the people who work there. A click on a row opens the yard. */
export function YardTable({ yards, pace, activity, hrefOf, current }: YardTableProps) {
  const t = useCampaignsText()
  const shown = listShownYards(yards)
  if (shown.length === 0) return null
  const isWorked = (pace?.people.length ?? 0) > 0
  const statusesOf = (id: number) => activity?.yards.find(({ yard_id }) => yard_id === id)?.statuses ?? []
  return (
    <section className={styles.yards} aria-labelledby="yards">
      <div className={styles.head}>
        <h2 id="yards">{t('yardTable.title')}</h2>
        <StatusLegend counts={sumStatuses(activity?.yards ?? [])} />
      </div>
      <div className={table.frame}>
        <table className={`${table.table} ${styles.table}`}>
          <thead>
            <tr>
              <th scope="col">{t('campaign.yard')}</th>
              <th scope="col">{t('strip.title')}</th>
              <th scope="col" className={styles.number}>{t('number.inspected')}</th>
              <th scope="col" className={styles.number}>{t('yardTable.total')}</th>
              <th scope="col" className={styles.number}>{t('number.left')}</th>
              <th scope="col" className={styles.number}>{t('number.wrong')}</th>
              {isWorked && <th scope="col">{t('pace.title')}</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((yard) => (
              <tr key={yard.id} className={yard.id === current ? styles.current : undefined}>
                <td>
                  <Link href={hrefOf(yard)} className={table.rowLink} aria-current={yard.id === current ? 'true' : undefined}
                    aria-label={t('strip.yard', { name: yard.name, done: formatCount(yard.done), total: formatCount(yard.total) })}>
                    {yard.name}
                  </Link>
                </td>
                <td className={styles.bar}>
                  <StatusStackedBar label={t('campaigns.progressOf', { name: t('yard.named', { name: yard.name }) })} counts={statusesOf(yard.id)} done={yard.done} total={yard.total} />
                </td>
                <td className={styles.number}>{formatCount(yard.done)}</td>
                <td className={styles.number}>{formatCount(yard.total)}</td>
                <td className={styles.number}>{yard.done >= yard.total ? <Done /> : <strong>{formatCount(yard.total - yard.done)}</strong>}</td>
                <td className={`${styles.number} ${styles.wrong}`}>{formatWrong(countDefects(statusesOf(yard.id)))}</td>
                {isWorked && <td className={styles.people}>{peopleIn(pace, yard.id) || (yard.done < yard.total && <span className={styles.nobody}>{t('yardTable.nobody')}</span>)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Returns the idle yards, the yard with the most uninspected vehicles first. Idle yards have uninspected vehicles and no active user, while other yards have active users. */
export function listIdleYards(yards: YardProgress[], pace: InspectionPace | undefined): YardProgress[] {
  if (pace === undefined || pace.people.length === 0) return []
  const idle = yards.filter((yard) => yard.done < yard.total && isShownYard(yard) && !pace.people.some(({ yard_id }) => yard_id === yard.id))
  return idle.toSorted((a, b) => b.total - b.done - (a.total - a.done) || compareNaturally(a.name, b.name))
}

const formatWrong = (n: number): string => (n === 0 ? '–' : formatCount(n))

const peopleIn = (pace: InspectionPace | undefined, yard: number): string =>
  [...new Set(pace?.people.filter(({ yard_id }) => yard_id === yard).map(({ hmc }) => hmc))].join(', ')

function Done() {
  const t = useCampaignsText()
  return (
    <span className={styles.done}>
      <Icon name="check" size={16} />
      {t('yardTable.done')}
    </span>
  )
}
