import type { Ref } from 'react'
import type { CampaignEvent } from '@/api/types'
import { Link } from '@/lib/route'
import type { IconName } from '@/ui/Icon'
import { CampaignStatusBadge } from '@/ui/Status'
import { ValueChange, Timeline, TimelineField, TimelineItem } from '@/ui/Timeline'
import { TimelinePage } from '@/ui/TimelinePage'
import { useTimelineText } from '@/ui/TimelineText'
import { formatDueDate } from '../useDueDateAction'
import { useCampaignHistory } from './api'
import { useCampaignFieldLabels, useCampaignEventTitle } from './campaignEventTexts'

const ICONS: Record<NonNullable<CampaignEvent['bulk']>['kind'], IconName> = { status: 'list', space: 'list', file: 'sheet', undo: 'undo' }
/** URL of the page that lists the bulk changes and imports. */
const JOBS = '/campaign-list?tool=history'

/** Events of a campaign, newest first. */
export function CampaignTimeline({ campaign }: { campaign: number }) {
  return (
    <Timeline>
      <Events key={campaign} campaign={campaign} before={null} />
    </Timeline>
  )
}

function Events({ campaign, before }: { campaign: number; before: string | null }) {
  return (
    <TimelinePage
      query={useCampaignHistory(campaign, before)}
      isOlder={before !== null}
      Item={Event}
      keyOf={({ at, bulk }, index) => `${at} ${bulk?.job_id ?? ''} ${index}`}
      renderPage={(next) => <Events campaign={campaign} before={next} />}
    />
  )
}

function Event({ ref, event }: { ref?: Ref<HTMLLIElement> | undefined; event: CampaignEvent }) {
  const t = useTimelineText()
  const labels = useCampaignFieldLabels()
  const { at, by_hmc, imported, bulk, fields } = event
  const icon = bulk ? ICONS[bulk.kind] : typeof imported === 'number' ? 'upload' : 'pencil'
  const way = bulk ? <Link href={JOBS}>{t('history.bulk')}</Link> : undefined
  return (
    <TimelineItem ref={ref} icon={icon} title={useCampaignEventTitle(event)} by={by_hmc ?? t('history.automatic')} at={at} way={way}>
      {fields.map(({ field, old, new: value }) => (
        <TimelineField key={field} name={labels[field] ?? field}>
          <ValueChange old={<Value field={field} value={old} />} value={<Value field={field} value={value} />} />
        </TimelineField>
      ))}
    </TimelineItem>
  )
}

function Value({ field, value }: { field: string; value: string }) {
  const t = useTimelineText()
  if (value === '') return <em>{t('history.empty')}</em>
  if (field === 'status') return <CampaignStatusBadge status={value} />
  return <span>{field === 'due_at' ? formatDueDate(value) : value}</span>
}
