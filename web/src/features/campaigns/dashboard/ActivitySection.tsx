import { useEffect, useState, type ComponentType } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import { Button } from '@/ui/Button'
import { Card, Skeleton } from '@/ui/Page'
import type { ActivityPanelProps } from './ActivityPanel'
import { useDashboardText } from './text'

export type ActivitySectionProps = Omit<ActivityPanelProps, 'activity'> & { query: { data: ActivityPanelProps['activity'] | undefined; error: unknown; refetch: () => unknown } }

/** Approximate heights in pixels of the charts, for the placeholder. */
const [PROGRESS_HEIGHT, HOURS_HEIGHT] = [420, 194]

/** Section with charts of the inspections over time. The chart code is loaded on first use; if that fails, the rest of the page works, and the part 'hours' is left out. */
export function ActivitySection({ query: { data: activity, error, refetch }, ...rest }: ActivitySectionProps) {
  const t = useDashboardText()
  const [attempt, setAttempt] = useState(1)
  const [failedAttempt, setFailedAttempt] = useState(0)
  const [part, setPart] = useState<{ Panel: ComponentType<ActivityPanelProps> } | null>(null)
  useEffect(() => {
    import('./ActivityPanel').then(({ ActivityPanel }) => setPart({ Panel: ActivityPanel }), () => setFailedAttempt(attempt))
  }, [attempt])
  if (part !== null && activity) return <part.Panel activity={activity} {...rest} />
  if (rest.part === 'hours') return error || failedAttempt === attempt ? null : <Skeleton height={HOURS_HEIGHT} label={t('chart.loading')} />
  if (error && !activity) return <Failure text={t('chart.noData', { why: getErrorMessage(error, t) })} onRetry={() => void refetch()} />
  if (failedAttempt < attempt) return <Skeleton height={rest.part === 'progress' ? PROGRESS_HEIGHT : PROGRESS_HEIGHT + HOURS_HEIGHT} label={t('chart.loading')} />
  return <Failure text={t('chart.notLoaded')} onRetry={() => setAttempt(attempt + 1)} />
}

/** Message shown in place of the charts when they cannot be loaded. The message is not an alert, because no action of the person has failed. */
function Failure({ text, onRetry }: { text: string; onRetry: () => void }) {
  const t = useDashboardText()
  return (
    <Card label={t('chart.title')}>
      <p className="quiet">{text}</p>
      <div>
        <Button onClick={onRetry}>{t('common.tryAgain')}</Button>
      </div>
    </Card>
  )
}
