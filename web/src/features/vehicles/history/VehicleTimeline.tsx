import { useEffect, useRef, useState } from 'react'
import { useOnline } from '@/api/connectivity'
import { getErrorMessage, Problem } from '@/api/problem'
import { useSession } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { mayManageCampaigns } from '@/lib/roles'
import { Button } from '@/ui/Button'
import { Skeleton } from '@/ui/Page'
import { Timeline, TimelineLine } from '@/ui/Timeline'
import { useHistoryPage, useHistoryReload } from './api'
import { TimelineEntry } from './TimelineEntry'
import { HistoryNotice } from './HistoryNotice'
import { useHistoryText } from './text'

/** Changes of a vehicle, newest first. */
export function VehicleTimeline({ vehicle }: { vehicle: Vehicle }) {
  useHistoryReload(vehicle)
  const manages = mayManageCampaigns(useSession()?.user.user_type ?? '')
  return (
    <Timeline>
      <TimelinePage key={vehicle.id} id={vehicle.id} before={null} manages={manages} />
    </Timeline>
  )
}

interface TimelinePageProps {
  id: number
  /** Time before which the changes were made; `null` for the newest changes. */
  before: string | null
  manages: boolean
}

/** One page of the changes of a vehicle, with a button that adds the next page. */
function TimelinePage({ id, before, manages }: TimelinePageProps) {
  const t = useHistoryText()
  const page = useHistoryPage(id, before)
  const [hasOlder, setHasOlder] = useState(false)
  const first = useRef<HTMLLIElement>(null)
  const isOlder = before !== null
  const { changes, next } = page.data ?? {}
  const isLoaded = changes !== undefined
  useEffect(() => {
    if (isOlder && isLoaded) first.current?.focus() // the button that had the focus is gone
  }, [isOlder, isLoaded])
  return (
    <>
      {changes?.map((entry, index) => (
        <TimelineEntry key={`${entry.at} ${entry.kind}`} ref={index === 0 ? first : undefined} entry={entry} manages={manages} />
      ))}
      {changes?.length === 0 && !isOlder && <li className="quiet">{t('history.none')}</li>}
      <LoadingState error={page.error} isPending={page.isPending} onRetry={() => void page.refetch()} />
      {next && hasOlder && <TimelinePage id={id} before={next} manages={manages} />}
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
  const t = useHistoryText()
  const isOnline = useOnline()
  const isOffline = error instanceof Problem ? error.status === 0 : isPending && !isOnline
  if (error === null && !isPending) return null
  return (
    <TimelineLine>
      {isOffline && <HistoryNotice text={t('history.offline')} onRetry={onRetry} />}
      {!isOffline && error !== null && <HistoryNotice text={t('history.notLoaded', { why: getErrorMessage(error, t) })} onRetry={onRetry} />}
      {!isOffline && error === null && <Skeleton rows={3} height={64} label={t('history.loading')} />}
    </TimelineLine>
  )
}
