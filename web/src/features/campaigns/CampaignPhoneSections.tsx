import type { InspectionActivity, InspectionPace } from '@/api/types'
import { formatCount } from '@/lib/format'
import { formatPercentage } from '@/lib/percentage'
import { useLanguage } from '@/lib/text'
import { useCurrentTime } from '@/lib/timeAgo'
import { CollapsibleSection } from './CollapsibleSection'
import { ActivitySection, type ActivitySectionProps } from './dashboard/ActivitySection'
import { createDateFormatters } from './dashboard/dateFormatters'
import { findLastWorkedDay } from './dashboard/lastWorkedDay'
import { useDashboardText } from './dashboard/text'
import { InspectionPaceList } from './InspectionPaceList'
import { sumInspectionsPerHour } from './inspectionsPerHour'
import { useCampaignsText } from './text'

/**
 * Charts of the campaign page on phones, as two collapsible sections: the progress over time, and the vehicles inspected per hour. The
 * second appears when an inspection is known. A failure to load the data is shown in place of both, not inside a collapsed section.
 */
export function ActivityPhoneSections(props: Omit<ActivitySectionProps, 'part'>) {
  const t = useDashboardText()
  const now = useCurrentTime()
  const formats = createDateFormatters(useLanguage())
  const { data: activity, error } = props.query
  const day = activity && findLastWorkedDay(activity, now, formats, t)
  if (activity === undefined && error) return <ActivitySection {...props} part="progress" />
  return (
    <>
      <CollapsibleSection name="progress" title={t('chart.title')} figures={[activity && describeShare(activity), props.note].filter(Boolean).join(' · ')}>
        <ActivitySection {...props} part="progress" />
      </CollapsibleSection>
      {day && (
        <CollapsibleSection name="hours" title={t('chart.perHour', { day: day.name })} figures={[t('chart.inspected', { n: day.inspected }), props.note].filter(Boolean).join(' · ')}>
          <ActivitySection {...props} part="hours" />
        </CollapsibleSection>
      )}
    </>
  )
}

/** Returns the share of inspected vehicles in percent; an empty text without vehicles. */
const describeShare = ({ inspected, total }: InspectionActivity): string => (total > 0 ? `${formatPercentage(inspected, total)}%` : '')

/** People who are inspecting, as a collapsible section of the campaign page on phones. Renders nothing while no person is inspecting. */
export function PacePhoneSection({ pace, manages }: { pace: InspectionPace | undefined; manages: boolean }) {
  const t = useCampaignsText()
  const people = pace?.people ?? []
  if (pace === undefined || people.length === 0) return null
  const count = t('number.people', { n: new Set(people.map(({ hmc }) => hmc)).size })
  const perHour = manages ? t('pace.person', { n: formatCount(Math.round(sumInspectionsPerHour(people))) }) : ''
  return (
    <CollapsibleSection name="people" title={t('pace.title')} figures={[count, perHour].filter(Boolean).join(' · ')}>
      <InspectionPaceList manages={manages} paces={[pace]} />
    </CollapsibleSection>
  )
}
