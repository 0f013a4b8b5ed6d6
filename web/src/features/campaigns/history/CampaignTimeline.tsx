import { useEffect, useRef, useState, type Ref } from 'react'
import { useOnline } from '@/api/connectivity'
import { getErrorMessage, Problem } from '@/api/problem'
import type { CampaignEvent } from '@/api/types'
import { Link } from '@/lib/route'
import { Button } from '@/ui/Button'
import type { IconName } from '@/ui/Icon'
import { Skeleton } from '@/ui/Page'
import { CampaignStatusBadge } from '@/ui/Status'
import { OldToNew, Timeline, TimelineField, TimelineItem, TimelineLine } from '@/ui/Timeline'
import { formatDue } from '../useDueDate'
import { useCampaignHistory } from './api'
import { HistoryFailure } from './HistoryFailure'
import { useFieldLabels, useEventTitle } from './words'
import { useCampaignHistoryText } from './text'

const ICONS: Record<NonNullable<CampaignEvent['bulk']>['kind'], IconName> = { status: 'list', space: 'list', file: 'sheet', undo: 'undo' }
/** Page with the list of bulk changes and imports. */
const JOBS = '/campaign-list?tool=history'

/** Events of a campaign, newest first. */
export function CampaignTimeline({ campaign }: { campaign: number }) {
  return (
    <Timeline>
      <TimelinePage key={campaign} campaign={campaign} before={null} />
    </Timeline>
  )
}

/** One page of the events of a campaign, with a button that adds the next page. */
function TimelinePage({ campaign, before }: { campaign: number; before: string | null }) {
  const t = useCampaignHistoryText()
  const page = useCampaignHistory(campaign, before)
  const [hasOlder, setHasOlder] = useState(false)
  const first = useRef<HTMLLIElement>(null)
  const isOlder = before !== null
  const { entries, next } = page.data ?? {}
  const isLoaded = entries !== undefined
  useEffect(() => {
    if (isOlder && isLoaded) first.current?.focus() // the button that had the focus is gone
  }, [isOlder, isLoaded])
  return (
    <>
      {entries?.map((event, index) => (
        <Event key={`${event.at} ${event.bulk?.job_id ?? ''} ${index}`} ref={index === 0 ? first : undefined} event={event} />
      ))}
      {entries?.length === 0 && !isOlder && <li className="quiet">{t('history.none')}</li>}
      <LoadingState error={page.error} isPending={page.isPending} onRetry={() => void page.refetch()} />
      {next && hasOlder && <TimelinePage campaign={campaign} before={next} />}
      {next && !hasOlder && (
        <TimelineLine>
          <Button onClick={() => setHasOlder(true)}>{t('history.older')}</Button>
        </TimelineLine>
      )}
    </>
  )
}

/** Placeholder while a page loads, or the reason why it cannot be loaded. */
function LoadingState({ error, isPending, onRetry }: { error: Error | null; isPending: boolean; onRetry: () => void }) {
  const t = useCampaignHistoryText()
  const isOnline = useOnline()
  if (error === null && !isPending) return null
  const isOffline = error instanceof Problem ? error.status === 0 : isPending && !isOnline
  const why = isOffline ? t('history.offline') : error !== null ? t('history.notLoaded', { why: getErrorMessage(error, t) }) : null
  return (
    <TimelineLine>
      {why === null ? <Skeleton rows={3} height={64} label={t('history.loading')} /> : <HistoryFailure text={why} onRetry={onRetry} />}
    </TimelineLine>
  )
}

function Event({ ref, event }: { ref: Ref<HTMLLIElement> | undefined; event: CampaignEvent }) {
  const t = useCampaignHistoryText()
  const labels = useFieldLabels()
  const { at, by_hmc, imported, bulk, fields } = event
  const icon = bulk ? ICONS[bulk.kind] : typeof imported === 'number' ? 'upload' : 'pencil'
  const way = bulk ? <Link href={JOBS}>{t('history.bulk')}</Link> : undefined
  return (
    <TimelineItem ref={ref} icon={icon} title={useEventTitle(event)} by={by_hmc ?? t('history.automatic')} at={at} way={way}>
      {fields.map(({ field, old, new: value }) => (
        <TimelineField key={field} name={labels[field] ?? field}>
          <OldToNew old={<Value field={field} value={old} />} to={t('history.to')} value={<Value field={field} value={value} />} />
        </TimelineField>
      ))}
    </TimelineItem>
  )
}

function Value({ field, value }: { field: string; value: string }) {
  const t = useCampaignHistoryText()
  if (value === '') return <em>{t('history.empty')}</em>
  if (field === 'status') return <CampaignStatusBadge status={value} />
  return <span>{field === 'due_at' ? formatDue(value) : value}</span>
}
