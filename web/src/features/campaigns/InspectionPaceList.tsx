import { findLatestSaveByPerson } from '@/api/latestSaves'
import type { InspectionPace } from '@/api/types'
import { formatCount } from '@/lib/format'
import { compareNamesNaturally } from '@/lib/yards'
import { sumInspectionsPerHour } from './inspectionsPerHour'
import { nameYard } from './nameYard'
import { useCampaignsText } from './text'
import { useTimeAgoFormatter } from './useTimeAgoFormatter'
import styles from './InspectionPaceList.module.css'

interface PaceStripProps {
  paces: InspectionPace[]
  /** Function that returns the name of a campaign, to label the rates of several campaigns; absent when only one campaign is shown. */
  nameOf?: (campaign: number) => string
  /** Whether the person may see inspection rates. If false, the list shows only the people in each yard. */
  manages: boolean
}

/**
 * Lists the people who are inspecting, by yard; team leaders and supervisors also see inspection rates. Each person is listed once, with
 * the campaign and yard of their latest save. The rate of a campaign is the sum of the listed rates. Renders nothing while no person is
 * inspecting.
 */
export function InspectionPaceList({ paces, nameOf, manages }: PaceStripProps) {
  const t = useCampaignsText()
  const ageOf = useTimeAgoFormatter()
  const going = placeByLatestSave(paces)
  if (going.length === 0) return null
  return (
    <section className={styles.strip} aria-label={t('pace.title')}>
      <h2>{t('pace.title')}</h2>
      {going.map((pace) => (
        <div key={pace.campaign_id} className={styles.pace}>
          {nameOf && <strong className="ellipsis">{nameOf(pace.campaign_id)}</strong>}
          {manages && (
            <p>
              <strong>{t('pace.perHour', { n: formatCount(Math.round(sumInspectionsPerHour(pace.people))) })}</strong>
            </p>
          )}
          <ul className={styles.people}>
            {sortByYard(pace.people).map(({ hmc, yard_id, yard_name, last_at, per_hour }) => (
              <li key={`${hmc} ${yard_id ?? 0}`}>
                <strong className="mono ellipsis" title={hmc}>
                  {hmc}
                </strong>
                {manages && typeof per_hour === 'number' && <span>{t('pace.person', { n: formatCount(Math.round(per_hour)) })}</span>}
                <span className="quiet">
                  {[...(yard_name ? [nameYard(t, yard_name)] : []), ...(manages ? [t('pace.lastSave', { age: ageOf(Date.parse(last_at)) })] : [])].join(' · ')}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

/** Returns the paces with each person listed only in the campaign of that person's latest save. Omits campaigns without people. */
function placeByLatestSave(paces: InspectionPace[]): InspectionPace[] {
  const latest = findLatestSaveByPerson(paces)
  return paces.map((pace) => ({ ...pace, people: pace.people.filter((person) => latest.get(person.hmc) === person) })).filter(({ people }) => people.length > 0)
}

/** Returns the people in the order of their yards, not of their rates. People without a yard come last. */
const sortByYard = (people: InspectionPace['people']) =>
  people.toSorted((a, b) => Number(!a.yard_name) - Number(!b.yard_name) || compareNamesNaturally(a.yard_name ?? '', b.yard_name ?? '') || compareNamesNaturally(a.hmc, b.hmc))
